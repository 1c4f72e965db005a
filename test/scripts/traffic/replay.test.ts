import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ReplayOptions, type ReplayTimers, replay } from '../../../scripts/traffic/replay.ts';
import { dealUser, parseAzureTrace, shiftToEndAt } from '../../../scripts/traffic/trace.ts';
import { listen, temporaryFolder } from '../../support/temporary.ts';

const HEADER = 'TIMESTAMP,ContextTokens,GeneratedTokens';
const SMALL_TRACE = [
  HEADER,
  '2023-11-16 18:17:03.9799600,4808,10',
  '2023-11-16 18:17:04.0319600,3180,8',
  '2023-11-16 18:18:04.0319600,110,27',
  '2023-11-16 18:19:04.0329600,7433,14',
].join('\r\n');
const NOW = Date.UTC(2026, 0, 1);

describe('reading a trace', () => {
  it('reads times to the millisecond, cutting the rest, and counts rows from 1', () => {
    expect(parseAzureTrace(SMALL_TRACE).slice(0, 2)).toEqual([
      { row: 1, atMs: Date.UTC(2023, 10, 16, 18, 17, 3, 979), tokensIn: 4_808, tokensOut: 10 },
      { row: 2, atMs: Date.UTC(2023, 10, 16, 18, 17, 4, 31), tokensIn: 3_180, tokensOut: 8 },
    ]);
  });

  it.each([
    ['LF', SMALL_TRACE.replaceAll('\r\n', '\n')],
    ['a line end at the end', `${SMALL_TRACE}\r\n`],
    ['blank lines', `\r\n${SMALL_TRACE.replaceAll('\r\n', '\r\n\r\n')}\n\n`],
    ['a byte order mark', `\uFEFF${SMALL_TRACE}`],
  ])('reads the same with %s', (_, csv) => {
    expect(parseAzureTrace(csv)).toEqual(parseAzureTrace(SMALL_TRACE));
  });

  it.each([
    ['a column too few', '2023-11-16 18:17:03.9799600,4808'],
    ['a column too many', '2023-11-16 18:17:03.9799600,4808,10,1'],
    ['a negative count', '2023-11-16 18:17:03.9799600,-1,10'],
    ['a fraction of a token', '2023-11-16 18:17:03.9799600,1.5,10'],
    ['no count', '2023-11-16 18:17:03.9799600,,10'],
    ['a day that is none', '2023-02-30 18:17:03.9799600,1,1'],
    ['an hour that is none', '2023-11-16 24:17:03.9799600,1,1'],
    ['a second header', HEADER],
    ['something else', 'x'.repeat(10_000)],
  ])('names the line of a row with %s', (_, row) => {
    expect(() => parseAzureTrace(`${SMALL_TRACE}\n\n${row}\n`)).toThrow(/^line 7: expected .{0,150}$/);
  });

  it('refuses a file of another kind, and one without calls', () => {
    expect(() => parseAzureTrace('a,b\n1,2')).toThrow('line 1: the header must be');
    expect(() => parseAzureTrace('')).toThrow('the trace holds no calls');
    expect(() => parseAzureTrace(`${HEADER}\n`)).toThrow('the trace holds no calls');
  });
});

describe('moving a trace', () => {
  it('puts the last call at the end, keeps every gap and orders by time', () => {
    const atMs = fc.integer({ min: 0, max: 4e12 });
    fc.assert(
      fc.property(fc.array(atMs, { minLength: 1, maxLength: 40 }), (times) => {
        const calls = times.map((time, index) => ({ row: index + 1, atMs: time, tokensIn: 1, tokensOut: 1 }));
        const moved = shiftToEndAt(calls, NOW);
        expect(moved.at(-1)?.atMs).toBe(NOW);
        const shifts = new Set(moved.map((call) => call.atMs - (times[call.row - 1] ?? 0)));
        expect(shifts.size).toBe(1);
        expect(moved).toEqual(moved.toSorted((a, b) => a.atMs - b.atMs));
      }),
    );
  });
});

describe('dealing rows to users', () => {
  it('is the same in every run', () => {
    expect([1, 2, 3, 4, 5, 6].map((row) => dealUser(row, 10))).toEqual(
      ['7', '4', '8', '8', '5', '8'].map((user) => `replay-user-${user}`),
    );
  });

  it('gives every user about as many rows, and no user every n-th', () => {
    const rows = Array.from({ length: 8_819 }, (_, index) => dealUser(index + 1, 20));
    const counts = [...Map.groupBy(rows, (user) => user).values()].map((dealt) => dealt.length);
    expect(counts).toHaveLength(20);
    expect(Math.min(...counts)).toBeGreaterThan(360);
    expect(Math.max(...counts)).toBeLessThan(520);
    const sameAsBefore = rows.filter((user, index) => index > 0 && user === rows[index - 1]).length;
    expect(sameAsBefore).toBeGreaterThan(300);
  });
});

describe('replaying', () => {
  let folder: string;
  let server: FakeApi;

  beforeEach(async () => {
    folder = temporaryFolder();
    server = await startFakeApi();
  });

  async function optionsFor(csv: string, overrides: Partial<ReplayOptions> = {}): Promise<ReplayOptions> {
    const file = join(folder, 'trace.csv');
    await writeFile(file, csv);
    const target = { api: server.url, apiKey: 'key', now: NOW, runId: 'r1' };
    return { file, format: 'azure-llm', users: 3, speed: 'max', ...target, ...overrides };
  }

  it('sends every call once, in order, in batches of at most 1,000', async () => {
    const progress: number[] = [];
    const onProgress = (done: number) => progress.push(done);
    const summary = await replay(await optionsFor(traceOf(2_345), { onProgress }), fakeTimers());
    expect(summary).toMatchObject({ signals: 2_345, accepted: 2_345, duplicates: 0, rejected: 0 });
    expect(server.batches.map((batch) => batch.length)).toEqual([1_000, 1_000, 345]);
    expect(server.batches.flat().map((signal) => signal.id)).toEqual(
      Array.from({ length: 2_345 }, (_, index) => `replay-r1-${index + 1}`),
    );
    expect(progress).toEqual([0, 1_000, 2_000, 2_345]);
  });

  it('sends what the signal contract asks for, with the key', async () => {
    await replay(await optionsFor(SMALL_TRACE, { project: 'demo' }), fakeTimers());
    expect(server.authorizations).toEqual(['Bearer key']);
    expect(server.batches[0]?.[3]).toEqual({
      id: 'replay-r1-4',
      ts: '2026-01-01T00:00:00.000Z',
      user_id: dealUser(4, 3),
      project_id: 'demo',
      adapter: 'azure-llm',
      provider: 'openai',
      model: 'gpt-4o-mini',
      tokens_in: 7_433,
      tokens_out: 14,
    });
  });

  it('sends the same bytes again after 503, 429 and a broken connection, and waits as it is told', async () => {
    const timers = fakeTimers();
    const told = [
      { status: 503, retryAfter: '2' },
      { status: 429, retryAfter: '7' },
    ] as const;
    server.failures.push(...told, 'break', { status: 503 });
    const summary = await replay(await optionsFor(SMALL_TRACE), timers);
    expect(summary).toMatchObject({ signals: 4, accepted: 4 });
    expect(timers.pauses).toEqual([2_000, 7_000, 1_000, 2_000]);
    expect(new Set(server.batches.map((batch) => JSON.stringify(batch))).size).toBe(1);
  });

  const UNKNOWN_KEY = 'this key is unknown there, or was revoked or has expired';
  it.each([
    [503, 10, 'gave up after 10 attempts: POST /api/v1/signals answered 503'],
    [401, 1, `POST /api/v1/signals answered 401 fake_code: ${UNKNOWN_KEY}`],
  ])('gives up on a status of %i after attempt %i, and says why', async (status, attempts, words) => {
    server.failures.push(...Array.from({ length: 10 }, () => ({ status })));
    await expect(replay(await optionsFor(SMALL_TRACE), fakeTimers())).rejects.toThrow(words);
    expect(server.batches).toHaveLength(attempts);
  });

  it('counts duplicates, and rejections by their code', async () => {
    server.results.push({ status: 'duplicate' }, { status: 'rejected', code: 'too_old' });
    const summary = await replay(await optionsFor(SMALL_TRACE), fakeTimers());
    const rejectedCodes = { too_old: 1 };
    expect(summary).toMatchObject({ signals: 4, accepted: 2, duplicates: 1, rejected: 1, rejectedCodes });
  });

  it.each([
    ['real' as const, 120_053],
    [10, 12_005.3],
  ])('at speed %s waits by the clock of the trace', async (speed, durationMs) => {
    const timers = fakeTimers();
    await replay(await optionsFor(SMALL_TRACE, { speed }), timers);
    const ids = server.batches.map((batch) => batch.map((signal) => signal.id));
    expect(ids).toEqual([1, 2, 3, 4].map((row) => [`replay-r1-${row}`]));
    expect(timers.elapsedMs()).toBeGreaterThanOrEqual(durationMs);
    expect(timers.elapsedMs()).toBeLessThan(durationMs + 100);
  });

  it.each([
    [{ users: 0 }, 'users must be'],
    [{ users: 1.5 }, 'users must be'],
    [{ speed: 0 }, 'speed must be'],
    [{ speed: Number.NaN }, 'speed must be'],
    [{ runId: 'a b' }, 'the run id must be'],
    [{ file: 'no-such-file.csv' }, 'ENOENT'],
    [{ api: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1 cannot be reached'],
  ])('refuses %j before it sends anything', async (overrides, message) => {
    await expect(replay(await optionsFor(SMALL_TRACE, overrides), fakeTimers())).rejects.toThrow(message);
    expect(server.batches).toEqual([]);
  });

  it('names the file and the line of a bad row', async () => {
    const broken = await optionsFor(`${SMALL_TRACE}\nbad`);
    await expect(replay(broken, fakeTimers())).rejects.toThrow(`${broken.file}: line 6: expected`);
  });
});

function traceOf(length: number): string {
  const rows = Array.from({ length }, (_, index) => {
    const at = new Date(Date.UTC(2023, 10, 16) + index * 1_000);
    return `${at.toISOString().replace('T', ' ').replace('Z', '0000')},${index},1`;
  });
  return [HEADER, ...rows].join('\r\n');
}

/** Time that passes only when somebody waits. */
function fakeTimers(): ReplayTimers & { pauses: number[] } {
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  return { pauses, pause, elapsedMs: () => pauses.reduce((sum, ms) => sum + ms, 0) };
}

interface FakeApi {
  url: string;
  /** The signals of each request that arrived, also of those that failed. */
  batches: { id: string }[][];
  authorizations: (string | undefined)[];
  /** The failures that the next requests meet instead of an answer. */
  failures: ({ status: number; retryAfter?: string } | 'break')[];
  /** The results of the next signals; later ones are accepted. */
  results: { status: string; code?: string }[];
}

async function startFakeApi(): Promise<FakeApi> {
  const api: Omit<FakeApi, 'url'> = { batches: [], authorizations: [], failures: [], results: [] };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { signals } = (await json(request)) as { signals: { id: string }[] };
    api.batches.push(signals);
    api.authorizations.push(request.headers.authorization);
    const failure = api.failures.shift();
    if (failure === 'break') return void request.socket.destroy();
    response.setHeader('content-type', 'application/json');
    if (failure?.retryAfter) response.setHeader('retry-after', failure.retryAfter);
    response.statusCode = failure?.status ?? 200;
    const results = signals.map(({ id }) => ({ id, ...(api.results.shift() ?? { status: 'accepted' }) }));
    response.end(JSON.stringify(failure ? { code: 'fake_code', detail: 'fake detail' } : { results }));
  };
  return { ...api, url: await listen(createServer((request, response) => void answer(request, response))) };
}
