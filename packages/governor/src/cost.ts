import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { csvLine, neutralize } from '../../../shared/platform/basics/csv.ts';
import { type Api, ask, FOR_PEOPLE } from './api/ask.ts';
import { type TargetFlags, targetOf, withTarget } from './api/target.ts';
import type { Env } from './commands.ts';
import { tableOf } from './output/print.ts';

/** The names of groupings as a person types them, and as the api has them. */
const GROUPINGS: Readonly<Record<string, string>> = {
  person: 'user_id',
  project: 'project_id',
  model: 'model',
  tool: 'adapter',
  repository: 'repository',
  branch: 'branch',
  'pull-request': 'pull_request',
  task: 'task',
};
const MOST_GROUPINGS = 2;

const sums = {
  cost_usd: z.number(),
  signals: z.int(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  unpriced_signals: z.int(),
};
const usage = z.looseObject({
  from: z.string(),
  to: z.string(),
  timezone: z.string(),
  totals: z.looseObject(sums),
  groups: z.array(z.looseObject({ key: z.record(z.string(), z.string().nullable()), ...sums })),
});
type Usage = z.output<typeof usage>;

interface CostFlags extends TargetFlags {
  by?: readonly string[];
  lastWeek?: boolean;
  lastMonth?: boolean;
  from?: string;
  to?: string;
  csv?: boolean;
}

type Ways = Pick<Env, 'env' | 'fallback' | 'now'>;

/** `cost`: what calls cost, by person, project, pull request and more, as a table, JSON or CSV. */
export function addCostCommand(program: Command, around: Ways): void {
  const names = Object.keys(GROUPINGS).join(', ');
  const command = withTarget(program.command('cost'), 'usage:read');
  command
    .description('Show what calls cost, the most expensive first')
    .option('--by <name>', `one or two of ${names}, separated by a comma`, parseGroupings)
    .addOption(new Option('--last-week', 'the last whole week').conflicts(['lastMonth', 'from', 'to']))
    .addOption(new Option('--last-month', 'the last whole month').conflicts(['from', 'to']))
    .option('--from <date>', "a date or a time; default: 30 days ago, in the organization's timezone")
    .option('--to <date>', 'likewise, exclusive; default: now')
    .option('--csv', 'print CSV')
    .action(async (flags: CostFlags) => {
      const { json = false, wide = false } = program.opts<{ json?: boolean; wide?: boolean }>();
      if (json && flags.csv) command.error('governor: name --json or --csv, not both.');
      const api = targetOf(flags, around);
      const answer = await readCost(api, flags, around.now());
      if (json) console.log(JSON.stringify(answer));
      else if (flags.csv) process.stdout.write(asCsv(answer, flags.by ?? []));
      else console.log(asTable(answer, flags.by ?? [], wide));
    });
}

function parseGroupings(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(GROUPINGS, name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`"${unknown}" is none of ${Object.keys(GROUPINGS).join(', ')}.`);
  if (names.length > MOST_GROUPINGS || new Set(names).size < names.length)
    throw new InvalidArgumentError(`Name at most ${MOST_GROUPINGS}, each once.`);
  return names;
}

/** The answer of `/api/v1/usage` to what the flags ask. */
async function readCost(api: Api, flags: CostFlags, nowMs: number): Promise<Usage> {
  const query = new URLSearchParams(await rangeOf(api, flags, nowMs));
  if (flags.by) query.set('group_by', flags.by.map((name) => GROUPINGS[name] ?? name).join(','));
  return ask(api, `/api/v1/usage?${query.toString()}`, null, sleep, usage, FOR_PEOPLE);
}

/** The days of the flags. Whole weeks and months are those of the organization's calendar. */
async function rangeOf(api: Api, flags: CostFlags, nowMs: number): Promise<Record<string, string>> {
  const { from, to, lastWeek, lastMonth } = flags;
  if (!lastWeek && !lastMonth) return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
  const organization = z.looseObject({ timezone: z.string() });
  const { timezone } = await ask(api, '/api/v1/organization', null, sleep, organization, FOR_PEOPLE);
  const [first, end] = lastWhole(lastWeek ? 'week' : 'month', timezone, nowMs);
  return { from: first, to: end };
}

/** The first day of the last whole week, which begins on a Monday, or month, and of the present one. Dates. */
export function lastWhole(period: 'week' | 'month', timezone: string, nowMs: number): [string, string] {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(nowMs);
  const date = new Date(`${today}T00:00:00Z`);
  const dayOf = (at: Date) => at.toISOString().slice(0, 10);
  if (period === 'month') {
    const first = (back: number) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1));
    return [dayOf(first(1)), dayOf(first(0))];
  }
  const daysBack = (days: number) => new Date(date.getTime() - days * 86_400_000);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return [dayOf(daysBack(sinceMonday + 7)), dayOf(daysBack(sinceMonday))];
}

type Line = Record<string, string | number | null>;

/** The groups, the most expensive first, and the sum of them all. */
function linesOf({ groups, totals }: Usage, by: readonly string[]): Line[] {
  const costs = ({ cost_usd, signals, tokens_in, tokens_out, unpriced_signals }: Usage['totals']) => ({
    cost_usd,
    calls: signals,
    tokens_in,
    tokens_out,
    without_price: unpriced_signals,
  });
  const ordered = groups.toSorted((a, b) => b.cost_usd - a.cost_usd || b.signals - a.signals);
  const named = ordered.map((group): Line => {
    const names = by.map((name) => [GROUPINGS[name] ?? name, group.key[GROUPINGS[name] ?? name] ?? null]);
    return { ...Object.fromEntries(names), ...costs(group) };
  });
  const [first] = by;
  if (first === undefined) return [costs(totals)];
  return [...named, { [GROUPINGS[first] ?? first]: 'total', ...costs(totals) }];
}

function asTable(answer: Usage, by: readonly string[], wide: boolean): string {
  const minute = (instant: string) => `${instant.slice(0, 10)} ${instant.slice(11, 16)}`;
  const heading = `${minute(answer.from)} to ${minute(answer.to)} UTC`;
  const lines = linesOf(answer, by).map((line) => ({ ...line, cost_usd: Number(line.cost_usd).toFixed(4) }));
  return `${heading}\n${tableOf(lines, { wide })}`;
}

/** CSV without the sum, which a spreadsheet makes. */
function asCsv(answer: Usage, by: readonly string[]): string {
  const lines = linesOf(answer, by);
  const rows = by.length === 0 ? lines : lines.slice(0, -1);
  const names = [...by.map((name) => GROUPINGS[name] ?? name), ...COST_COLUMNS];
  const cellOf = (value: Line[string] | undefined) =>
    typeof value === 'number' ? String(value) : neutralize(value ?? '');
  return [names, ...rows.map((row) => names.map((name) => cellOf(row[name])))].map(csvLine).join('');
}

const COST_COLUMNS = ['cost_usd', 'calls', 'tokens_in', 'tokens_out', 'without_price'] as const;
