import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { queryParquet } from '../support/parquet.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const { api, tenant } = await fixture({ clock: NOW });

/** $0.425 by the list: an hour's cache has no row of its own, so that the call is one row of its whole cost. */
const CLAUDE = {
  provider: 'anthropic',
  model: 'claude-opus-4-8',
  tokens_in: 10_000,
  cache_write_tokens: 10_000,
  cache_write_1h_tokens: 10_000,
  tokens_out: 13_000,
};

it('a FOCUS row of a whole cost that a rule made has the list’s cost beside the rule’s, also in place of a reported one and in Parquet', async () => {
  const { key } = await tenant();
  const send = (path: string, body?: object) =>
    api.call(`/api/v1/${path}`, { key, ...(body ? { body } : {}) });
  const half = { name: 'Half', from: '2026-10-01', match: { provider: 'anthropic' }, discount_percent: 50 };
  const own = { name: 'Own', from: '2026-10-01', match: { provider: 'vllm' }, free: true };
  for (const rule of [half, own])
    expect((await send('price-rules', { ...rule, replaces_reported: true })).status).toBe(201);
  const unlisted = { ...CLAUDE, provider: 'vllm', model: 'llama-4-70b' };
  const calls = [CLAUDE, { ...CLAUDE, cost_usd: 9 }, unlisted, { ...unlisted, cost_usd: 9 }];
  const signals = calls.map((call) => makeSignal({ ts: NOW, ...call }));
  expect((await send('signals', { signals })).status).toBe(200);
  const { text } = await send('usage/export?level=focus&from=2026-11-21&to=2026-11-22');
  const rows: Record<string, string>[] = parse(text, { columns: true });
  const shown = [
    'SkuMeter',
    'ListCost',
    'ListUnitPrice',
    'PricingQuantity',
    'ContractedCost',
    'EffectiveCost',
  ];
  const query = 'level=focus&format=parquet&from=2026-11-21&to=2026-11-22';
  const headers = { Authorization: `Bearer ${key}` };
  const file = await fetch(`${api.url}/api/v1/usage/export?${query}`, { headers });
  expect(file.status).toBe(200);
  const sql = (path: string) =>
    `SELECT EffectiveCost::VARCHAR AS cost, ContractedUnitPrice::VARCHAR AS price, typeof(ContractedUnitPrice) AS type FROM '${path}'`;
  expect(await queryParquet(Buffer.from(await file.arrayBuffer()), sql)).toEqual(
    rows.map(({ EffectiveCost }) => ({ cost: EffectiveCost, price: null, type: 'DECIMAL(18,9)' })),
  );
  expect(rows.map((row) => shown.map((name) => row[name]))).toEqual([
    ['Recorded Cost', '0.850000000', '1.000000000', '0.850000000', '0.425000000', '0.425000000'],
    ['Recorded Cost', '0.000000000', '1.000000000', '0.000000000', '0.000000000', '0.000000000'],
  ]);
});
