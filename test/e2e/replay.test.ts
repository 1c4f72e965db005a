import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReplayOptions, replay } from '../../scripts/traffic/replay.ts';
import { parseAzureTrace } from '../../scripts/traffic/trace.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { makeTenant } from '../support/factories.ts';
import { startApi, type TestApi } from '../support/harness.ts';
import { type ExpectedSession, expectSessions } from '../support/session-oracle.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { readTrace } from '../support/trace.ts';

/** So many that the three timeouts cut differently. */
const USERS = 120;

let api: TestApi;
const folder = temporaryFolder(afterAll);

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('a replayed trace', () => {
  const trace = readTrace({ calls: 2_000 });
  const calls = parseAzureTrace(trace).length;
  const counts = new Set<number>();

  it.each([60, 300, 1_800])(
    'becomes exactly the sessions of a plain gap scan at a timeout of %d s',
    async (timeoutS) => {
      const { orgId, key } = await makeTenant(api.ctx, { session_timeout: timeoutS });
      const options = optionsFor(join(folder, 'trace.csv'), key);
      await writeFile(options.file, trace);
      const summary = await replay(options);
      expect(summary).toMatchObject({ signals: calls, accepted: calls, duplicates: 0, rejected: 0 });
      const expected = await expectedFor(options, timeoutS);
      expect(await readStored(orgId)).toEqual(expected);
      expect(await walkSessions(key)).toEqual(expected.map(asListed));
      expect(await sumRollups(orgId)).toEqual(totalsOf(expected));
      expect(counts).not.toContain(expected.length);
      counts.add(expected.length);
    },
  );
});

describe('a replay repeated', () => {
  const trace = [
    'TIMESTAMP,ContextTokens,GeneratedTokens',
    '2023-11-16 18:17:03.9799600,4808,10',
    '2023-11-16 18:17:04.0319600,3180,8',
    '2023-11-16 18:18:04.0319600,110,27',
    '2023-11-16 18:19:04.0329600,7433,14',
  ].join('\r\n');

  it('with the same run id is all duplicates and changes nothing', async () => {
    const { orgId, key } = await makeTenant(api.ctx, { session_timeout: 60 });
    const options = { ...optionsFor(join(folder, 'small.csv'), key), users: 1, runId: 'again' };
    await writeFile(options.file, trace);
    const expected = await expectedFor(options, 60);
    expect(expected.map((session) => session.signal_count)).toEqual([3, 1]);
    expect(await replay(options)).toMatchObject({ accepted: 4, duplicates: 0 });
    expect(await readStored(orgId)).toEqual(expected);
    expect(await replay(options)).toMatchObject({ accepted: 0, duplicates: 4 });
    expect(await readStored(orgId)).toEqual(expected);
    expect(await sumRollups(orgId)).toEqual(totalsOf(expected));
  });

  it('stops at a key that the API does not know, with its reason', async () => {
    const options = optionsFor(join(folder, 'small.csv'), 'ugk_unknown');
    await writeFile(options.file, trace);
    await expect(replay(options)).rejects.toThrow('POST /api/v1/signals answered 401 unauthorized');
  });
});

function optionsFor(file: string, apiKey: string): ReplayOptions {
  return {
    file,
    format: 'azure-llm',
    users: USERS,
    speed: 'max',
    api: api.url,
    apiKey,
    now: api.ctx.clock.now(),
  };
}

async function expectedFor(options: ReplayOptions, timeoutS: number): Promise<ExpectedSession[]> {
  const csv = await readFile(options.file, 'utf8');
  return expectSessions({ csv, users: options.users, timeoutS, endMs: options.now });
}

const SUMMED = ['tokens_in', 'tokens_out', 'cost_nusd'] as const;
const SHOWN = ['user_id', 'started_at', 'last_activity_at', 'signal_count', 'tokens_in', 'tokens_out'];

/** These fields of sessions, as JSON has them, in the order of the expected ones. */
function inOrder(rows: readonly unknown[], fields: readonly string[]): Record<string, unknown>[] {
  const parsed: Record<string, unknown>[] = JSON.parse(JSON.stringify(rows));
  const place = (row: Record<string, unknown>) => `${String(row.started_at)}${String(row.user_id)}`;
  return parsed
    .map((row) => Object.fromEntries(fields.map((field) => [field, row[field]])))
    .toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

/** The sessions as the database holds them, with the exact cost. */
async function readStored(orgId: string) {
  return inOrder(await sessionRows(api.ctx).find({ org_id: orgId }).toArray(), [...SHOWN, 'cost_nusd']);
}

/** The sessions as the API lists them, page after page. */
async function walkSessions(key: string) {
  const sessions: unknown[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await api.call(`/api/v1/sessions?order=asc&limit=100${cursor}`, { key });
    expect(status).toBe(200);
    sessions.push(...body.data);
    if (!body.has_more) {
      expect(body.total).toBe(sessions.length);
      return inOrder(sessions, [...SHOWN, 'cost_usd']);
    }
    cursor = `&cursor=${encodeURIComponent(body.cursor)}`;
  }
}

/** Rounds by Intl, so that the product's own rounding does not judge itself. */
const fourDecimals = new Intl.NumberFormat('en', {
  maximumFractionDigits: 4,
  roundingMode: 'halfEven',
  useGrouping: false,
});

function asListed({ cost_nusd, ...session }: ExpectedSession) {
  return { ...session, cost_usd: Number(fourDecimals.format(`${cost_nusd}e-9` as `${number}`)) };
}

type Summed = Record<(typeof SUMMED)[number], number>;

function sum(rows: readonly ({ sessions: number; signals: number } & Summed)[]) {
  const totals = { sessions: 0, signals: 0, tokens_in: 0, tokens_out: 0, cost_nusd: 0 };
  for (const row of rows)
    for (const measure of ['sessions', 'signals', ...SUMMED] as const) totals[measure] += row[measure];
  return totals;
}

function totalsOf(sessions: readonly ExpectedSession[]) {
  return sum(sessions.map((session) => ({ ...session, sessions: 1, signals: session.signal_count })));
}

async function sumRollups(orgId: string) {
  return sum(await rollupRows(api.ctx).find({ org_id: orgId, period: 'quarter_hour' }).toArray());
}
