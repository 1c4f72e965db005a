import { Command } from 'commander';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { addCostCommand, lastWhole } from '../../../packages/governor/src/cost.ts';
import { fixture } from '../../support/fixture.ts';

const NOW = Date.parse('2026-11-18T12:00:00Z');
const shop = await fixture({ clock: NOW, tenant: { timezone: 'America/New_York' } });
const OCTOBER = Date.parse('2026-10-31T23:30:00-04:00');
const NOVEMBER = Date.parse('2026-11-01T00:30:00-04:00');

beforeAll(async () => {
  await shop.record(
    { ts: OCTOBER, user_id: 'ada', project_id: 'a-project-with-a-long-name', model: 'gpt-5', cost_usd: 1.5 },
    { ts: NOVEMBER, user_id: 'ada', project_id: 'shop', cost_usd: 2 },
    { ts: NOVEMBER + 1, user_id: 'bob', project_id: 'shop', cost_usd: 3.25 },
    { ts: NOVEMBER + 2, user_id: '=1+1', project_id: 'lab', model: 'nobody-knows', tokens_in: 5 },
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Runs the command, and returns what it prints. */
async function cost(...args: string[]): Promise<string> {
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text) => printed.push(`${text}\n`));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const program = new Command('governor').option('--json').option('--wide').exitOverride();
  const quiet = { writeErr: () => undefined };
  program.configureOutput(quiet);
  const env = { GOVERNOR_API: shop.api.url, GOVERNOR_API_KEY: shop.key };
  addCostCommand(program, { env, now: () => NOW, fallback: () => ({}) });
  for (const command of program.commands) command.exitOverride().configureOutput(quiet);
  await program.parseAsync(['node', 'governor', ...args]);
  return printed.join('');
}

describe('governor cost', () => {
  test('shows the most expensive first, in the days of the organization', async () => {
    vi.stubEnv('COLUMNS', '100');
    const table = await cost('cost', '--from', '2026-11-01', '--to', '2026-11-02', '--by', 'person');
    expect(table).toMatch(
      /^2026-11-01 04:00 to 2026-11-02 05:00 UTC\n.*\nbob .*\nada .*\n=1\+1 .*\ntotal .*\n$/,
    );
    expect(await cost('cost', '--last-month', '--by', 'project,model')).toContain(
      'a-project-with-a-long-name  gpt-5    1.5000',
    );
  });

  test('cuts no id: columns go first, and the last line says how to see them', async () => {
    vi.stubEnv('COLUMNS', '44');
    const table = await cost('cost', '--last-month', '--by', 'project');
    expect(table).toContain('a-project-with-a-long-name');
    expect(table).toMatch(/\d more columns: --wide\n$/);
    expect(await cost('cost', '--last-month', '--by', 'project', '--wide')).toContain('without_price');
  });

  test('prints CSV that a spreadsheet does not run, and whose rows sum to the total', async () => {
    const csv = await cost('cost', '--from', '2026-10-01', '--by', 'person', '--csv');
    const [names, ...rows] = parse(csv) as string[][];
    expect(names?.join()).toBe('user_id,cost_usd,calls,tokens_in,tokens_out,without_price');
    expect(rows.map((row) => row.join())).toEqual([
      'ada,3.5,2,200,20,0',
      'bob,3.25,1,100,10,0',
      "'=1+1,0,1,5,10,1",
    ]);
  });

  test('knows the last whole week and month of a calendar, also across years', () => {
    const at = (time: string, zone = 'UTC') =>
      ['week', 'month'].map((of) => lastWhole(of as 'week', zone, Date.parse(time)));
    expect(at('2026-11-18T12:00:00Z')).toEqual([
      ['2026-11-09', '2026-11-16'],
      ['2026-10-01', '2026-11-01'],
    ]);
    for (let day = 16; day < 30; day += 1)
      for (const time of ['00:00:00', '23:59:59'])
        expect(at(`2026-11-${day}T${time}Z`)[0]?.[0]).toBe(day < 23 ? '2026-11-09' : '2026-11-16');
    expect(at('2026-01-01T02:00:00Z', 'America/New_York')).toEqual([
      ['2025-12-22', '2025-12-29'],
      ['2025-11-01', '2025-12-01'],
    ]);
  });
});
