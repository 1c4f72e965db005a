import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { fixture } from '../support/fixture.ts';
import { anyCall } from '../support/random-calls.ts';
import { temporaryFolder } from '../support/temporary.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR_MS = 3_600_000;
const RANGE = { from: '2026-11-18', to: '2026-11-22' };
const folder = temporaryFolder(afterAll);
const { api, ctx, tenant } = await fixture({ clock: NOW });
const duckdb = await DuckDBInstance.create(':memory:');
const reader = await duckdb.connect();
afterAll(() => {
  reader.closeSync();
  duckdb.closeSync();
});

type Row = Record<string, string>;
const nusd = (money = '') => BigInt(money.replace('.', ''));
const total = (rows: Row[], name: string) => rows.reduce((sum, row) => sum + nusd(row[name]), 0n);

async function textOf(key: string, query: Record<string, string>, path = '/api/v1/usage/export') {
  const asked = `${path}?${new URLSearchParams({ ...RANGE, ...query }).toString()}`;
  const { status, text } = await api.call(asked, { key });
  expect(status, text).toBe(200);
  return text;
}

async function rowsOf(key: string, query: Record<string, string>): Promise<Row[]> {
  return parse(await textOf(key, query), { columns: true });
}

async function download(key: string, query: Record<string, string>): Promise<Buffer> {
  const asked = new URLSearchParams({ ...RANGE, ...query }).toString();
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(`${api.url}/api/v1/usage/export?${asked}`, { headers });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** The prices and costs of the rows in the other formats, in their order. */
async function pricesInFormats(key: string, query: Record<string, string>): Promise<string[][][]> {
  const text = String(await download(key, { ...query, format: 'ndjson' }));
  const ndjson = text
    .split('\n')
    .slice(0, -1)
    .map((line) => [
      (JSON.parse(line) as Row).SkuPriceId ?? '',
      /"EffectiveCost":(\d+\.\d{9})/.exec(line)?.[1] ?? '',
    ]);
  const file = join(folder, 'focus.parquet');
  writeFileSync(file, await download(key, { ...query, format: 'parquet' }));
  const read = await reader.runAndReadAll(
    `SELECT SkuPriceId, EffectiveCost::VARCHAR FROM read_parquet('${file}', file_row_number = true) ORDER BY file_row_number`,
  );
  return [ndjson, read.getRowsJson() as string[][]];
}

/** The costs of rows by a value that both levels have, without those that cost nothing. */
function costsBy(rows: Row[], pickedBy: (row: Row) => string, cost: string): Record<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const row of rows) sums.set(pickedBy(row), (sums.get(pickedBy(row)) ?? 0n) + nusd(row[cost]));
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n));
}

/** Each dimension as FOCUS and as the daily export write it. */
const DIMENSIONS: [focus: (row: Row) => string, daily: (row: Row) => string][] = [
  [(row) => row.ChargePeriodStart?.slice(0, 10) ?? '', (row) => row.start?.slice(0, 10) ?? ''],
  [(row) => row.x_UserId ?? '', (row) => row.user_id ?? ''],
  [(row) => row.SubAccountId || 'unassigned', (row) => row.project_id ?? ''],
  [(row) => row.x_Model ?? '', (row) => row.model ?? ''],
  [(row) => row.x_Adapter ?? '', (row) => row.adapter ?? ''],
];

/** Calls and interventions of two people, three days, and every kind of seller. */
const anySignal = fc
  .record({
    call: anyCall,
    ts: fc.integer({ min: NOW - 80 * HOUR_MS, max: NOW }),
    user_id: fc.constantFrom('ada', 'bob'),
    project_id: fc.constantFrom('alpha', undefined),
    adapter: fc.constantFrom('codex', 'own'),
    // A call without a provider, or through a proxy, has the prices of its model.
    provider: fc.constantFrom('anthropic', 'litellm', 'vllm', undefined, undefined),
    task: fc.constantFrom('T-1', 'T-2', undefined),
    hasModel: fc.boolean(),
    isIntervention: fc.boolean(),
  })
  .map(({ call, hasModel, isIntervention, ...of }) => ({
    ...of,
    ...call,
    // A call with tokens names its model.
    model: hasModel || call.tokens_in + call.tokens_out > 0 ? call.model : undefined,
    ...(isIntervention && 'cost_usd' in call ? { type: 'intervention', intervention: GATE } : {}),
  }));
const GATE = { kind: 'tool_permission', verdict: 'allow', action: 'allow', source: 'config' };

const priceAndCost = ({ SkuPriceId = '', EffectiveCost = '' }: Row) => [SkuPriceId, EffectiveCost];

describe('a FOCUS file', () => {
  it('sums to the daily export by day, user, project, model and adapter, for any calls, filter, version and format', async () => {
    const anyFilter = fc.constantFrom<Record<string, string>>(
      {},
      { user_id: 'ada' },
      { project_id: 'alpha' },
      { model: 'unknown' },
      { adapter: 'own', model: 'gpt-5' },
      { task: 'T-1' },
      { task: 'T-2', user_id: 'bob' },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(anySignal, { minLength: 1, maxLength: 25 }),
        anyFilter,
        async (signals, filter) => {
          const { key, record } = await tenant();
          // Each call is made twice, so that every row has several calls.
          await record(...signals, ...signals);
          const daily = await rowsOf(key, { level: 'daily', timezone: 'UTC', ...filter });
          const days = await rowsOf(key, { level: 'focus', ...filter });
          for (const [ofFocus, ofDaily] of DIMENSIONS)
            expect(costsBy(days, ofFocus, 'EffectiveCost')).toEqual(costsBy(daily, ofDaily, 'cost_usd'));
          const hours = await rowsOf(key, { level: 'focus', granularity: 'hour', ...filter });
          expect(total(hours, 'EffectiveCost')).toBe(total(daily, 'cost_usd'));
          const next = await rowsOf(key, { level: 'focus', focus_version: '1.3', ...filter });
          const formats = await pricesInFormats(key, { level: 'focus', ...filter });
          for (const others of [next.map(priceAndCost), ...formats])
            expect(others).toEqual(days.map(priceAndCost));
          const metadata = await textOf(key, filter, '/api/v1/usage/export/metadata');
          expect(nusd(JSON.parse(metadata).x_EffectiveCost)).toBe(total(days, 'EffectiveCost'));
          expectPrices(days);
        },
      ),
      { numRuns: 30 },
    );
  }, 300_000);

  it('is the same bytes in whatever order its calls came', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anySignal, { minLength: 2, maxLength: 25 }), async (signals) => {
        const [first, second] = [await tenant(), await tenant()];
        await first.record(...signals);
        await second.record(...signals.toReversed());
        const [text, again] = [
          await textOf(first.key, { level: 'focus' }),
          await textOf(second.key, { level: 'focus' }),
        ];
        expect(again.replaceAll(second.orgId, first.orgId)).toBe(text);
      }),
      { numRuns: 10 },
    );
  }, 300_000);

  it('leaves out what was voided, and is the same bytes for the same data', async () => {
    const { key, orgId, record } = await tenant();
    const call = { ts: NOW - HOUR_MS, user_id: 'ada' };
    await record({ ...call, id: 'wrong', cost_usd: 8 }, { ...call, id: 'right', cost_usd: 1 });
    const wrong = await signalRows(ctx).findOne({ org_id: orgId, id: 'wrong' });
    const body = { signal_ids: ['wrong'], reason: 'A slip of the finger' };
    const voided = await api.call(`/api/v1/sessions/${wrong?.session_id}/void`, { key, body });
    expect(voided.status, voided.text).toBe(200);
    const path = `/api/v1/usage/export?level=focus&${new URLSearchParams(RANGE).toString()}`;
    const digests = [];
    for (let time = 0; time < 2; time += 1) {
      const { text } = await api.call(path, { key });
      digests.push(createHash('sha256').update(text).digest('hex'));
      expect(parse<Row>(text, { columns: true }).map((row) => row.EffectiveCost)).toEqual(['1.000000000']);
    }
    expect(digests[0]).toBe(digests[1]);
  });
});

/** Checks that price × quantity is the list cost, and that one price id has one price. */
function expectPrices(rows: Row[]) {
  const prices = new Map<string, string>();
  for (const row of rows) {
    const product = nusd(row.ListUnitPrice) * nusd(row.PricingQuantity);
    const difference = product - nusd(row.ListCost) * 1_000_000_000n;
    expect((difference < 0n ? -difference : difference) * 2n <= 1_000_000_000n).toBe(true);
    const id = row.SkuPriceId ?? '';
    expect(prices.get(id) ?? row.ListUnitPrice).toBe(row.ListUnitPrice);
    prices.set(id, row.ListUnitPrice ?? '');
  }
}
