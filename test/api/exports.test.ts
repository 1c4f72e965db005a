import { get, type IncomingMessage } from 'node:http';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';

import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { queryParquet } from '../support/parquet.ts';
import { pick, seeded } from '../support/random.ts';
import { seedRollupDay } from '../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SEED = 7_041;
const PATH = '/api/v1/usage/export';
const f = await fixture({ clock: NOW, tenant: { timezone: 'Europe/Berlin' } });
const { api } = f;

beforeAll(async () => {
  const random = seeded(SEED);
  await f.record(
    ...Array.from({ length: 1_500 }, () => ({
      ts: NOW - Math.floor(random() * 34 * DAY),
      user_id: pick(random, ['ada', '=HYPERLINK("http://evil","x")', '日本 "quoted", with comma', '@cyd']),
      project_id: pick(random, ['alpha', '-beta', 'multi\r\nline']),
      model: pick(random, ['gpt-4o-mini', 'claude-sonnet-4-5', 'unheard-of']),
      adapter: pick(random, ['codex', 'claude-code']),
      cost_usd: Math.floor(random() * 1e9) / 1e9,
    })),
  );
});
const FROM = new Date(NOW - 34.5 * DAY).toISOString();

async function download(query: Record<string, string>, as = f.key) {
  const url = `${api.url}${PATH}?${new URLSearchParams({ from: FROM, ...query }).toString()}`;
  const response = await until(
    async () => {
      const attempt = await fetch(url, { headers: { Authorization: `Bearer ${as}` } });
      // A busy machine sheds exports first; a client comes again.
      if (attempt.status !== 503) return attempt;
      await attempt.arrayBuffer();
      return null;
    },
    { what: 'an export to be let in' },
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
}

const csvOf = async (query: Record<string, string> = {}): Promise<Record<string, string>[]> =>
  parse((await download({ format: 'csv', ...query })).text, { columns: true });

const totals = async () =>
  (await f.ask(`/api/v1/usage?${new URLSearchParams({ from: FROM }).toString()}`)).totals;

/** Decimal text to nano-USD. */
function nano(text: string): bigint {
  expect(text).toMatch(/^-?\d+\.\d{9}$/);
  return BigInt(text.replace('.', ''));
}

const sumNano = (rows: { cost_usd?: string }[]) =>
  rows.reduce((sum, row) => sum + nano(row.cost_usd ?? ''), 0n);
const sumOf = (rows: Record<string, string>[], name: string) =>
  rows.reduce((sum, row) => sum + Number(row[name]), 0);

it.each(['csv', 'ndjson', 'parquet'])(
  'as %s is a problem, not a file that is cut, when its query fails at once',
  async (format) => {
    vi.spyOn(sessionRows(api.ctx), 'aggregate').mockImplementation(() => {
      throw new Error('This is no store error: a 503 would mean that load was shed.');
    });
    const { status, headers } = await download({ format, level: 'sessions' });
    vi.restoreAllMocks();
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      500,
      'application/problem+json; charset=utf-8',
      null,
    ]);
  },
);

describe('GET /api/v1/usage/export', () => {
  it('gives a CSV that csv-parse reads and whose rows sum to the totals, to the last nano-USD', async () => {
    const answer = await download({ format: 'csv' });
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="usage-daily-20260307T0000Z-20260410T1215Z.csv"',
    );
    const rows: Record<string, string>[] = parse(answer.text, { columns: true });
    const expected = await totals();
    for (const name of ['sessions', 'signals', 'errors', 'tokens_in', 'tokens_out', 'unpriced_signals']) {
      expect(sumOf(rows, name), `${name}, seed ${SEED}`).toBe(expected[name]);
    }
    expect(Number(sumNano(rows)) / 1e9).toBeCloseTo(expected.cost_usd, 4);
    const ndjson = await download({ format: 'ndjson' });
    const exact = [...ndjson.text.matchAll(/"cost_usd":([\d.]+)/g)].map((match) => ({
      cost_usd: match[1] ?? '',
    }));
    expect(sumNano(exact)).toBe(sumNano(rows));
  });

  it('puts an apostrophe before every cell that a spreadsheet would run', async () => {
    const rows = await csvOf();
    const users = new Set(rows.map((row) => row.user_id));
    expect(users).toContain(`'=HYPERLINK("http://evil","x")`);
    expect(users).toContain(`'@cyd`);
    expect(users).toContain('日本 "quoted", with comma');
    expect(new Set(rows.map((row) => row.project_id))).toEqual(new Set(['alpha', "'-beta", 'multi\r\nline']));
    for (const row of rows) for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  });

  it('gives NDJSON with a parseable object a line and the JSON names as columns', async () => {
    const { text, headers } = await download({ format: 'ndjson' });
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(Object.keys(rows[0])).toEqual([
      'start', 'user_id', 'project_id', 'model', 'adapter', 'sessions', 'signals', 'errors', 'interventions',
      'tokens_in', 'tokens_out', 'cache_read_tokens', 'cache_write_tokens', 'cost_usd', 'unpriced_signals',
    ]); // biome-ignore format: one list
    expect(rows.reduce((sum, row) => sum + row.signals, 0)).toBe(1_500);
  });

  it('gives Parquet that DuckDB reads, with exact decimals and times', async () => {
    const { bytes, headers } = await download({ format: 'parquet' });
    expect(headers.get('content-type')).toBe('application/vnd.apache.parquet');
    const [row] = await queryParquet(
      bytes,
      (file) =>
        `SELECT sum(signals)::VARCHAR AS signals, sum(cost_usd)::VARCHAR AS cost, typeof(any_value(cost_usd)) AS money, ` +
        `typeof(any_value(start)) AS time, count(DISTINCT user_id)::VARCHAR AS users FROM '${file}'`,
    );
    expect(row).toMatchObject({ signals: '1500', money: 'DECIMAL(18,9)', users: '4' });
    expect(row?.time).toBe('TIMESTAMP WITH TIME ZONE');
    expect(nano(String(row?.cost))).toBe(sumNano(await csvOf()));
  });

  it('exports every session that started in the range once, in all formats', async () => {
    const expected = await totals();
    const csv = await csvOf({ level: 'sessions' });
    expect(csv).toHaveLength(expected.sessions);
    expect(new Set(csv.map((row) => row.id)).size).toBe(csv.length);
    const list = await f.ask('/api/v1/sessions?limit=1&order=asc');
    const [{ cost_usd: _cost, user_id: _u, project_id: _p, end_reason: _e, anomaly_types: _t, ...shown }] =
      list.data;
    const { models, ...plain } = shown;
    const first = csv.find((row) => row.id === plain.id);
    for (const [name, value] of Object.entries(plain)) expect(first?.[name], name).toBe(String(value));
    expect(first?.models).toBe(JSON.stringify(models));
    const [row] = await queryParquet(
      (await download({ level: 'sessions', format: 'parquet' })).bytes,
      (file) => `SELECT count(*)::VARCHAR AS n, sum(cost_usd)::VARCHAR AS cost FROM '${file}'`,
    );
    expect(row?.n).toBe(String(expected.sessions));
    expect(nano(String(row?.cost))).toBe(sumNano(csv));
  });

  describe.each([
    ['Asia/Kathmandu', { timezone: 'Asia/Kathmandu' }, '20260407T1815Z-20260409T1815Z'],
    ["the organization's own", {}, '20260407T2200Z-20260409T2200Z'],
  ])('with dates in the timezone %s', (_, zone: Record<string, string>, range) => {
    it.each(['daily', 'attributed', 'sessions'])(
      'has at the level %s what usage counts then',
      async (level) => {
        const query = { from: '2026-04-08', to: '2026-04-10', ...zone };
        const answer = await download({ format: 'csv', level, ...query });
        expect(answer.headers.get('content-disposition')).toContain(`"usage-${level}-${range}.csv"`);
        const rows: Record<string, string>[] = parse(answer.text, { columns: true });
        const counted = (await f.ask(`/api/v1/usage?${new URLSearchParams(query).toString()}`)).totals;
        expect(counted.sessions).toBeGreaterThan(0);
        if (level === 'sessions') expect(rows).toHaveLength(counted.sessions);
        else expect(sumOf(rows, 'signals')).toBe(counted.signals);
      },
    );
  });

  it('gives a header or nothing, and a valid Parquet file, when there are no rows', async () => {
    for (const level of ['daily', 'sessions']) {
      const none = { level, user_id: 'nobody' };
      expect(parse((await download({ ...none, format: 'csv' })).text)).toHaveLength(1);
      expect((await download({ ...none, format: 'ndjson' })).text).toBe('');
      const [row] = await queryParquet(
        (await download({ ...none, format: 'parquet' })).bytes,
        (file) => `SELECT count(*)::VARCHAR AS n FROM '${file}'`,
      );
      expect(row?.n).toBe('0');
    }
  });

  describe('of more than a socket holds', () => {
    const days = 40;
    const from = new Date(Math.floor((NOW - (days + 1) * DAY) / DAY) * DAY).toISOString();
    const path = `${PATH}?format=ndjson&from=${from}&to=2026-04-09`;
    let big: { orgId: string; key: string };

    beforeAll(async () => {
      big = await f.tenant({ timezone: 'UTC' });
      for (let day = 0; day < days; day += 1)
        await seedRollupDay(api.ctx, big.orgId, NOW - (day + 2) * DAY, 150);
    });

    /** Begins a download and does not read it. Null when it was refused. */
    async function begin(): Promise<IncomingMessage | null> {
      const { hostname, port } = new URL(api.url);
      const headers = { Authorization: `Bearer ${big.key}` };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        get({ hostname, port, path, headers, agent: false }, resolve).on('error', reject);
      });
      response.pause().on('error', () => undefined);
      if (response.statusCode === 200) return response;
      expect(response.statusCode).toBe(503);
      response.destroy();
      return null;
    }

    it('stops the query when the client stops reading or goes away', async () => {
      let reads = 0;
      const collection = rollupRows(api.ctx);
      const original = collection.aggregate.bind(collection);
      collection.aggregate = ((...args: Parameters<typeof original>) => {
        reads += 1;
        return original(...args);
      }) as typeof collection.aggregate;
      try {
        const response = await until(begin, { what: 'an export to be let in' });
        const stalledAt = await untilQuiet(() => reads);
        expect(stalledAt).toBeLessThan(days);
        response?.destroy();
        expect(await untilQuiet(() => reads)).toBeLessThan(days);
      } finally {
        collection.aggregate = original;
      }
    });
  });

  it.each([
    'format=xlsx',
    'level=hourly',
    'group_by=model',
    'timezone=Asia/Kathmandu&from=2026-01-01',
    'from=2026-04-02&to=2026-04-01',
  ])('refuses %s with 400', async (query) => {
    const answer = await until(async () => {
      const attempt = await f.send(`${PATH}?${query}`);
      return attempt.status === 503 ? null : attempt;
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });
});

/** Waits until a count has stayed the same for a while, and returns it. */
async function untilQuiet(count: () => number): Promise<number> {
  let last = -1;
  let since = performance.now();
  return until(
    () => {
      if (count() !== last) {
        last = count();
        since = performance.now();
      }
      return performance.now() - since > 500 && last > 0 ? last : 0;
    },
    { what: 'the query to pause' },
  );
}
