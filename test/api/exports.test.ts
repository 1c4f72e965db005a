import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { neutralize } from '../../shared/platform/basics/csv.ts';
import { download as downloadFrom } from '../support/download.ts';
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

const download = (query: Record<string, string>) => downloadFrom(api, f.key, { from: FROM, ...query });
/** The text of a value of NDJSON in the other formats. */
function textOf(name: string, value: unknown): string {
  if (value === null) return '';
  if (name === 'cost_usd') return Number(value).toFixed(9);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
const mapped = (row: Record<string, unknown>, change: (name: string, value: unknown) => unknown) =>
  JSON.stringify(Object.entries(row).map(([name, value]) => [name, change(name, value)]));

it.each(['csv', 'ndjson', 'parquet'])(
  'as %s is a problem, not a file that is cut, when its query fails at once',
  async (format) => {
    vi.spyOn(sessionRows(api.ctx), 'aggregate').mockImplementation(() => {
      throw new Error('This is no store error: a 503 would mean that load was shed.');
    });
    const { status, headers } = await download({ format, level: 'sessions' });
    vi.restoreAllMocks();
    expect([status, headers.get('content-disposition')]).toEqual([500, null]);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  },
);

describe('GET /api/v1/usage/export', () => {
  const dates = { from: '2026-04-08', to: '2026-04-10' };
  it.each([
    ['csv', {}, 'text/csv; charset=utf-8; header=present', '20260307T0000Z-20260410T1215Z'],
    ['ndjson', {}, 'application/x-ndjson', '20260307T0000Z-20260410T1215Z'],
    ['parquet', dates, 'application/vnd.apache.parquet', '20260407T2200Z-20260409T2200Z'],
  ])('is called by its range as %s: %j', async (format, range, type, times) => {
    const { headers } = await download({ format, ...range });
    expect(headers.get('content-type')).toBe(type);
    const name = `attachment; filename="usage-daily-${times}.${format}"`;
    expect(headers.get('content-disposition')).toBe(name);
  });

  // `laws/questions` proves the rows of NDJSON.
  it.each(['daily', 'attributed', 'sessions'])(
    'has at the level %s the same rows in each format, each value exactly, and no cell that a spreadsheet would run',
    async (level) => {
      const lines = (await download({ level, format: 'ndjson' })).text.split('\n').filter(Boolean);
      const rows: Record<string, unknown>[] = lines.map((line) => JSON.parse(line));
      const texts = (change = (text: string) => text) =>
        rows.map((row) => mapped(row, (name, value) => change(textOf(name, value)))).toSorted();
      const { text } = await download({ level, format: 'csv' });
      const cells: Record<string, string>[] = parse(text, { columns: true });
      expect(cells.map((row) => mapped(row, (_, cell) => cell)).toSorted()).toEqual(texts(neutralize));
      const { bytes } = await download({ level, format: 'parquet' });
      const read = await queryParquet(bytes, (file) => `SELECT COLUMNS(*)::VARCHAR FROM '${file}'`);
      const isTime = /^\d{4}-\d\d-\d\d \d\d:/;
      const found = read.map((row) =>
        mapped(row, (_, cell) =>
          isTime.test(String(cell)) ? new Date(`${String(cell)}:00`).toISOString() : (cell ?? ''),
        ),
      );
      expect(found.toSorted()).toEqual(texts());
    },
  );

  it('has the columns of a day by their JSON names, in Parquet as exact decimals and times', async () => {
    const { bytes } = await download({ format: 'parquet' });
    const columns = await queryParquet(bytes, (file) => `DESCRIBE SELECT * FROM '${file}'`);
    const types = new Map(columns.map(({ column_name, column_type }) => [column_name, column_type]));
    expect([...types.keys()]).toEqual([
      'start', 'user_id', 'project_id', 'model', 'adapter', 'sessions', 'signals', 'errors', 'interventions',
      'tokens_in', 'tokens_out', 'cache_read_tokens', 'cache_write_tokens', 'cost_usd', 'unpriced_signals',
    ]); // biome-ignore format: one list
    expect([types.get('start'), types.get('cost_usd')]).toEqual([
      'TIMESTAMP WITH TIME ZONE',
      'DECIMAL(18,9)',
    ]);
  });

  it.each(['daily', 'attributed', 'sessions'])(
    'has at the level %s, with dates in a timezone of quarter hours, what usage counts then',
    async (level) => {
      const query = { ...dates, timezone: 'Asia/Kathmandu' };
      const { sessions, signals } = (await f.ask(`/api/v1/usage?${String(new URLSearchParams(query))}`))
        .totals;
      const { text, headers } = await download({ level, ...query });
      expect(headers.get('content-disposition')).toContain(`${level}-20260407T1815Z-20260409T1815Z.csv`);
      const rows: { signals?: string }[] = parse(text, { columns: true });
      const count = rows.reduce((sum, row) => sum + Number(row.signals), 0);
      expect(level === 'sessions' ? rows.length : count).toBe(level === 'sessions' ? sessions : signals);
    },
  );

  it('gives a header or nothing, and a valid Parquet file, when there are no rows', async () => {
    for (const level of ['daily', 'sessions']) {
      const none = { level, user_id: 'nobody' };
      expect(parse((await download({ ...none, format: 'csv' })).text)).toHaveLength(1);
      expect((await download({ ...none, format: 'ndjson' })).text).toBe('');
      const { bytes } = await download({ ...none, format: 'parquet' });
      const sql = (file: string) => `SELECT count(*)::VARCHAR AS n FROM '${file}'`;
      expect(await queryParquet(bytes, sql)).toEqual([{ n: '0' }]);
    }
  });

  it('stops the query when the client stops reading or goes away', async () => {
    const days = 40;
    const from = new Date(Math.floor((NOW - (days + 1) * DAY) / DAY) * DAY).toISOString();
    const path = `${PATH}?format=ndjson&from=${from}&to=2026-04-09`;
    const { orgId, key } = await f.tenant({ timezone: 'UTC' });
    for (let day = 0; day < days; day += 1) await seedRollupDay(api.ctx, orgId, NOW - (day + 2) * DAY, 150);
    const read = vi.spyOn(rollupRows(api.ctx), 'aggregate');
    const reads = () => read.mock.calls.length;
    onTestFinished(() => read.mockRestore());
    /** Begins a download and does not read it. Null when it was refused. */
    const begin = async (): Promise<IncomingMessage | null> => {
      const { hostname, port } = new URL(api.url);
      const options = { hostname, port, path, headers: { Authorization: `Bearer ${key}` }, agent: false };
      const request = get(options).on('error', () => undefined);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.pause().on('error', () => undefined);
      if (response.statusCode === 200) return response;
      expect(response.statusCode).toBe(503);
      response.destroy();
      return null;
    };
    const response = await until(begin, { what: 'an export to be let in' });
    expect(await untilQuiet(reads)).toBeLessThan(days);
    response.destroy();
    expect(await untilQuiet(reads)).toBeLessThan(days);
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
