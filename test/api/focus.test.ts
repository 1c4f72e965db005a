import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { sumCharges } from '../../shared/wings/exports/focus/sum-charges.ts';
import { download } from '../support/download.ts';
import { fixture } from '../support/fixture.ts';
import { queryParquet } from '../support/parquet.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const DAY_MS = 86_400_000;
const f = await fixture({ clock: NOW, tenant: { timezone: 'Europe/Berlin' } });
const { api } = f;

const CLAUDE = {
  user_id: 'ada',
  project_id: 'shop',
  adapter: 'own',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  tokens_in: 8_512,
  cache_read_tokens: 8_000,
  cache_write_tokens: 500,
  tokens_out: 300,
};

beforeAll(async () => {
  const uncached = { ...CLAUDE, cache_read_tokens: 0, cache_write_tokens: 0 };
  const reported = { user_id: 'bob', project_id: undefined, cost_usd: 0.5, tokens_in: 0, tokens_out: 0 };
  await f.record(
    { ...CLAUDE, ts: Date.parse('2026-11-20T23:30:00Z') },
    { ...CLAUDE, ts: Date.parse('2026-11-20T21:30:00Z') },
    { ...uncached, ...reported, ts: NOW - 1_000 },
    // Without tokens and for nothing: no charge.
    { ...uncached, ...reported, cost_usd: 0, ts: NOW - 1_500 },
    { ...uncached, ts: NOW - 2_000, model: 'unheard-of', provider: undefined },
  );
});
const RANGE = { from: '2026-11-20', to: '2026-11-22' };
const ask = (query: Record<string, string>, as = f.key, path = '/api/v1/usage/export') =>
  f.send(`${path}?${new URLSearchParams({ level: 'focus', ...query }).toString()}`, undefined, { key: as });
const parquetOf = async (query: Record<string, string>, as = f.key) =>
  (await download(api, as, { level: 'focus', format: 'parquet', ...query })).bytes;
const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true });

describe('a FOCUS file', () => {
  it('has the calls that name no model where those of unknown are asked for', async () => {
    const unnamed = { ts: NOW - 2_000, user_id: 'eve', adapter: 'own', cost_usd: 0.25 };
    const { key, record } = await f.tenant();
    await record({ ...unnamed, model: undefined, tokens_in: 0, tokens_out: 0 });
    const { text } = await ask({ ...RANGE, model: 'unknown' }, key);
    expect(rowsOf(text)).toMatchObject([{ x_UserId: 'eve', EffectiveCost: '0.250000000' }]);
  });

  it('has a row per day and class of tokens with its list price, and one for a reported cost', async () => {
    const { status, text, headers } = await ask(RANGE);
    expect(status, text).toBe(200);
    expect(headers.get('x-governor-unpriced')).toBe('1');
    const rows = rowsOf(text);
    const shown = ['ChargePeriodStart', 'x_UserId', 'SkuMeter', 'ConsumedQuantity', 'ConsumedUnit'];
    const priced = [...shown, 'ListUnitPrice', 'PricingQuantity', 'EffectiveCost'];
    const day = '2026-11-20T00:00:00Z';
    expect(rows.map((row) => priced.map((name) => row[name]).join(' '))).toEqual([
      `${day} ada Input Tokens 24 Tokens 3.000000000 0.000024000 0.000072000`,
      `${day} ada Cache Read Tokens 16000 Tokens 0.300000000 0.016000000 0.004800000`,
      `${day} ada Cache Write Tokens 1000 Tokens 3.750000000 0.001000000 0.003750000`,
      `${day} ada Output Tokens 600 Tokens 15.000000000 0.000600000 0.009000000`,
      '2026-11-21T00:00:00Z bob Reported Cost 1 Requests 1.000000000 0.500000000 0.500000000',
    ]);
    expect(rows[0]).toMatchObject({
      BilledCost: '0.000072000',
      BillingAccountId: f.orgId,
      BillingPeriodStart: '2026-11-01T00:00:00Z',
      BillingPeriodEnd: '2026-12-01T00:00:00Z',
      ChargeClass: '',
      InvoiceId: '',
      ListCost: '0.000072000',
      PricingUnit: '1000000 Tokens',
      ProviderName: 'Anthropic',
      ServiceName: 'Claude API',
      SubAccountId: 'shop',
      Tags: '{"adapter":"own","project":"shop"}',
      x_SignalCount: '2',
    });
    expect(rows[4]).toMatchObject({ SubAccountId: '', SubAccountType: '', Tags: '{"adapter":"own"}' });
  });

  it('tells hours apart, and bills nothing where only invoices bill', async () => {
    const hours = rowsOf((await ask({ ...RANGE, granularity: 'hour', user_id: 'ada' })).text);
    const begun = new Set(hours.map((row) => row.ChargePeriodStart));
    expect(begun).toEqual(new Set(['2026-11-20T21:00:00Z', '2026-11-20T23:00:00Z']));
    const invoiced = rowsOf((await ask({ ...RANGE, billed: 'invoice' })).text);
    expect(new Set(invoiced.map((row) => row.BilledCost))).toEqual(new Set(['0.000000000']));
  });

  it('is read by DuckDB from Parquet with decimals, instants and nulls', async () => {
    const sql = (file: string) =>
      `SELECT typeof(EffectiveCost) AS cost, typeof(ConsumedQuantity) AS quantity, typeof(ChargePeriodStart) AS period,
       sum(EffectiveCost)::VARCHAR AS total, count(InvoiceId)::INT AS invoices, count(SubAccountId)::INT AS projects
       FROM '${file}' GROUP BY ALL`;
    const instant = 'TIMESTAMP WITH TIME ZONE';
    const types = { cost: 'DECIMAL(18,9)', quantity: 'DECIMAL(18,0)', period: instant };
    const filled = { total: '0.517622000', invoices: 0, projects: 4 };
    expect(await queryParquet(await parquetOf(RANGE), sql)).toEqual([{ ...types, ...filled }]);
  });

  it('is described by the metadata of the same query, to a bound key as of its own calls alone', async () => {
    const metadata = async (query = {}, as = f.key) =>
      (await ask({ ...RANGE, ...query }, as, '/api/v1/usage/export/metadata')).body;
    const { headers, text } = await ask(RANGE);
    const { Schema, ...others } = await metadata();
    const SchemaId = headers.get('x-governor-focus-schema');
    expect(Schema).toMatchObject({ FocusVersion: '1.2', SchemaId });
    expect(others).toMatchObject({
      DataGenerator: 'usage-governor',
      x_From: '2026-11-20T00:00:00.000Z',
      x_To: '2026-11-22T00:00:00.000Z',
      x_Granularity: 'day',
      x_Billed: 'computed',
      x_Signals: 3,
      x_UnpricedSignals: 1,
      x_UnpricedTokens: 8_812,
      x_EffectiveCost: '0.517622000',
      x_ClosedThrough: null,
    });
    const names = Schema.ColumnDefinition.map((column: { ColumnName: string }) => column.ColumnName);
    expect(text.split('\r\n')[0]).toBe(names.join(','));
    expect((await metadata({ focus_version: '1.3' })).Schema.SchemaId).not.toBe(SchemaId);
    const own = await metadata({}, await f.keyOf('bob', ['usage:read']));
    expect(own).toMatchObject({ x_Signals: 1, x_UnpricedSignals: 0, x_EffectiveCost: '0.500000000' });
  });

  it.each([
    [{ timezone: 'Europe/Berlin' }, /UTC/],
    [{ from: '2025-01-01', to: '2026-11-21' }, /400 days/],
    [{ level: 'daily', granularity: 'hour' }, /only with level=focus/],
    [{ people: 'true' }, /name no people/],
    [{ errors: 'true' }, /only with level=sessions/],
    [{ focus_version: '1.1' }, /focus_version/],
    [{ from: '2025-10-20', to: '2025-10-22' }, /days: the first whole day is/],
  ])('refuses %j in words', async (query, words) => {
    const { status, body, text } = await ask({ ...RANGE, ...query });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(text).toMatch(words);
  });

  it('begins with no day of which calls are purged, and names the first whole one', async () => {
    // Calls are kept for 396 days, since noon of this one.
    const bounds = { from: '2025-10-21T13:00:00Z', to: '2025-10-23' };
    const { body } = await ask(bounds);
    const exact_from = '2025-10-22T00:00:00.000Z';
    expect(body).toMatchObject({ status: 400, code: 'invalid_request', exact_from });
    const atNoon = { from: '2025-10-21T12:00:00Z', granularity: 'hour' };
    for (const kept of [{ from: '2025-10-22' }, { granularity: 'hour' }, atNoon])
      expect((await ask({ ...bounds, ...kept })).status).toBe(200);
  });

  it('has the same rows in the same order where a day is read in passes', async () => {
    const day = Date.parse('2026-11-10T00:00:00Z');
    const users = Array.from({ length: 40 }, (_, at) => `user-${(at * 17) % 40}`);
    const signals = users.map((user_id, at) => ({ ...CLAUDE, user_id, ts: day + at * 60_000 }));
    await f.record(...signals);
    const period = { fromMs: day, toMs: day + DAY_MS };
    const read = async (mostRows?: number) =>
      (await Array.fromAsync(sumCharges(api.ctx, f.orgId, {}, period, mostRows))).map((rows) =>
        rows.map(({ user_id, skuPriceId, costNusd, calls }) => [user_id, skuPriceId, costNusd, calls]),
      );
    const whole = await read();
    const passes = await read(12);
    expect(whole).toHaveLength(1);
    expect(passes.length).toBeGreaterThan(10);
    expect(passes.flat()).toEqual(whole.flat());
  });
});

it('a FOCUS row of a whole cost that a rule made has the list’s cost beside the rule’s, also in place of a reported one and in Parquet', async () => {
  const own = await f.tenant();
  const half = { match: { provider: 'anthropic' }, discount_percent: 50 };
  const rules = new Set();
  for (const rule of [half, { match: { provider: 'vllm' }, free: true }]) {
    const body = { ...rule, name: 'Rule', from: '2026-10-01', replaces_reported: true };
    rules.add((await f.ask('/api/v1/price-rules', body, { key: own.key })).id);
  }
  // $0.425 by the list: an hour's cache has no row of its own, so that the call is one row of its whole cost.
  const listed = {
    provider: 'anthropic',
    model: 'claude-opus-4-8',
    tokens_in: 10_000,
    cache_write_tokens: 10_000,
    cache_write_1h_tokens: 10_000,
    tokens_out: 13_000,
  };
  const unlisted = { ...listed, provider: 'vllm', model: 'llama-4-70b' };
  const calls = [listed, { ...listed, cost_usd: 9 }, unlisted, { ...unlisted, cost_usd: 9 }];
  await own.record(...calls.map((call) => ({ ...call, ts: NOW })));
  const day = { from: '2026-11-21', to: '2026-11-22' };
  const rows = rowsOf((await ask(day, own.key)).text);
  expect(new Set(rows.map(({ Tags = '' }) => JSON.parse(Tags).price_rule))).toEqual(rules);
  const sql = (path: string) =>
    `SELECT EffectiveCost::VARCHAR AS cost, ContractedUnitPrice::VARCHAR AS price, typeof(ContractedUnitPrice) AS type FROM '${path}'`;
  expect(await queryParquet(await parquetOf(day, own.key), sql)).toEqual(
    rows.map(({ EffectiveCost }) => ({ cost: EffectiveCost, price: null, type: 'DECIMAL(18,9)' })),
  );
  const list = ['SkuMeter', 'ListCost', 'ListUnitPrice', 'PricingQuantity'];
  const shown = [...list, 'ContractedCost', 'EffectiveCost'];
  expect(rows.map((row) => shown.map((name) => row[name]).join(' '))).toEqual([
    'Recorded Cost 0.850000000 1.000000000 0.850000000 0.425000000 0.425000000',
    'Recorded Cost 0.000000000 1.000000000 0.000000000 0.000000000 0.000000000',
  ]);
});
