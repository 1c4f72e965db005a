import { execFile } from 'node:child_process';
import { get, type IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { neutralize } from '../../shared/platform/basics/csv.ts';
import { encode, FORMATS } from '../../shared/wings/exports/encode.ts';
import { type Child, startChild } from '../support/drills/child.ts';
import { makeRichAccounts, startLoad } from '../support/drills/load.ts';
import { storesFixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';
import { seedRollupDay } from '../support/usage.ts';

const DAY_MS = 86_400_000;
/** The places of one organization among the 16 exports that a process answers at once. */
const PLACES_OF_ONE = 4;
const { ctx, env, orgId, key } = await storesFixture({ redis: true });
let api: Child;
beforeAll(async () => {
  api = await startChild('api/main.ts', env);
});
afterAll(() => api.stop());

describe('cells that a spreadsheet would run (104)', () => {
  it.each([
    '=1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\r=1',
    '\n=1',
    '\0=1',
    '＝1',
    '＋1',
    '－1',
    '＠A',
    ' =1',
    '\u00a0=1',
    '\ufeff+1',
    '\u200b @A',
    ' \u2060-1',
  ])('%j gets an apostrophe', (cell) => expect(neutralize(cell)).toBe(`'${cell}`));
  it.each([
    ['x;=1+1', "x;'=1+1"],
    ['x\t@SUM(1)', "x\t'@SUM(1)"],
    ['x;"=1+1"', `x;'"=1+1"`],
    ['x; =1', "x;' =1"],
    ['\t=1', "'\t'=1"],
    [';+1;-1', ";'+1;'-1"],
  ])('%j begins no formula for a reader that separates at semicolons or tabs', (cell, safe) =>
    expect(neutralize(cell)).toBe(safe),
  );
  it.each(['', 'ada', '1', 'a=1', "'=1", '日本', 'a;b=1', 'a\tb', ' a', '\ufeffa=1'])('%j stays', (cell) =>
    expect(neutralize(cell)).toBe(cell),
  );

  it.each(['a\n=1', 'a\r=1', 'a\r\n=1', '\n', '\r', 'a\r', 'a,\n"=1'])(
    '%j stays one cell for a reader that ends rows at LF, at CR or at both',
    async (cell) => {
      const columns = [
        { name: 'start', type: 'time' },
        { name: 'user_id', type: 'text' },
        { name: 'models', type: 'list' },
      ] as const;
      const batches = async function* () {
        yield [['2026-11-21', cell, [cell]] as const];
      };
      const text = (await Array.fromAsync(encode('csv', columns, batches()))).join('');
      expect(parse(text, { record_delimiter: ['\r\n', '\n', '\r'] })).toEqual([
        ['start', 'user_id', 'models'],
        ['2026-11-21', neutralize(cell), JSON.stringify([cell])],
      ]);
    },
  );
});

describe('an export of a million rows (105)', () => {
  it.each(FORMATS)('as %s passes through a process that could not hold them', async (format) => {
    // A million rows take more than 64 MB. A process that held them would die.
    const args = ['--max-old-space-size=64', 'test/support/export-a-million.ts', format];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(Number(stdout)).toBeGreaterThan(10_000_000);
  });
});

describe('1,000 exports at the same time (111)', () => {
  it('are refused beyond the share of one organization, and spends go on', async () => {
    // More than a socket holds, so that each export that is let in stays under way.
    for (let day = 2; day < 32; day += 1) await seedRollupDay(ctx, orgId, Date.now() - day * DAY_MS, 150);
    const accounts = await makeRichAccounts(ctx, 4);
    const load = startLoad(() => api.url, accounts, { clients: 4, random: seeded(111) });
    await until(() => (load.statuses.get(200) ?? 0) >= 20, { what: 'spends before' });
    const before = load.statuses.get(200) ?? 0;
    const held = await beginUntilFull();
    const answers = await Promise.all(Array.from({ length: 1_000 }, beginExport));
    await until(() => (load.statuses.get(200) ?? 0) >= before + 50, {
      what: 'spends during',
    });
    await load.finish();
    for (const answer of [...held, ...answers]) answer.destroy();
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([503]));
    // A spend that met a busy machine's deadline was told so or gave up, and went through when it came again.
    expect([...load.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual([]);
    expect(load.statuses.get(503) ?? 0).toBeLessThan((load.statuses.get(200) ?? 0) / 2);
    expect(load.attempts.filter(({ answer }) => answer === null)).toEqual([]);
  });

  /** As many as one organization may have. None is read, so none gives its place back. */
  async function beginUntilFull(): Promise<IncomingMessage[]> {
    const held: IncomingMessage[] = [];
    const beginOne = async () => {
      const answer = await beginExport();
      if (answer.statusCode === 200) held.push(answer);
      return held.length === PLACES_OF_ONE;
    };
    await until(beginOne, { what: 'exports to be let in' });
    return held;
  }

  /** One that is not read. */
  function beginExport(): Promise<IncomingMessage> {
    const { hostname, port } = new URL(api.url);
    const from = new Date(Date.now() - 34 * DAY_MS).toISOString();
    const path = `/api/v1/usage/export?format=ndjson&from=${from}`;
    const headers = { Authorization: `Bearer ${key}` };
    return new Promise((resolve, reject) => {
      const request = get({ hostname, port, path, headers, agent: false }, (response) => {
        response.pause().on('error', () => undefined);
        resolve(response);
      });
      request.on('error', reject);
    });
  }
});
