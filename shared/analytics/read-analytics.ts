import type { Organization } from '../organizations/model.ts';
import { isoTime } from '../platform/basics/clock.ts';
import { K_ANONYMITY_FLOOR } from '../platform/basics/contract.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { usd4OfBig } from '../usage/measures.ts';
import { quarterHorizonMs } from '../usage/periods.ts';
import { teamsByUser } from '../usage/teams.ts';
import { median } from './median.ts';
import { type Dimension, readWeek, type UserCell, type WeekCells } from './read-atoms.ts';
import { suppressWeek, type Verdict } from './suppress.ts';
import { weekEdges } from './weeks.ts';

/** The visible part of a cell, over the asked weeks. */
interface Tally {
  users: Map<string, UserCell>;
  visibleWeeks: number;
  hiddenWeeks: number;
}

/**
 * Sums over members, of which none can be told apart. What is hidden is decided once for each week × value, never
 * for a question as a whole, so two questions cannot reveal by their difference what neither tells.
 */
export async function readAnalytics(
  ctx: Context,
  organization: Organization,
  asked: { fromMs?: number | undefined; toMs?: number | undefined; dimension: Dimension },
) {
  const { dimension } = asked;
  const edges = weekEdges(ctx, organization, asked);
  const [fromMs = 0, toMs = 0] = [edges[0], edges.at(-1)];
  if (dimension === 'hour_of_week') refuseForgottenHours(ctx, fromMs);
  const k = Math.max(K_ANONYMITY_FLOOR, organization.k_anonymity);
  const teamOf = dimension === 'team' ? await teamNames(ctx, organization._id) : () => '';
  const totals = newTally();
  const cells = new Map<string, Tally>();
  const trend: Record<string, unknown>[] = [];
  for (let index = 0; index + 1 < edges.length; index += 1) {
    const week = { fromMs: edges[index] ?? 0, toMs: edges[index + 1] ?? 0 };
    const values = await readWeek(ctx, organization, week, dimension, teamOf);
    const verdict = judge(values, k);
    countWeek(cells, values, verdict);
    const everyone = [...values.values()].flat();
    count(totals, everyone, verdict.totalHidden);
    trend.push({ start: isoTime(week.fromMs), ...viewWeek(everyone, verdict.totalHidden) });
  }
  return {
    from: isoTime(fromMs),
    to: isoTime(toMs),
    dimension,
    k,
    totals: viewTally(totals, k),
    cells: dimension === 'none' ? [] : viewCells(cells, dimension, k),
    trend,
  };
}

/** Hours are known from the quarter hours, which are kept for 35 days. */
function refuseForgottenHours(ctx: Context, fromMs: number): void {
  const horizonMs = quarterHorizonMs(ctx.clock.now());
  if (fromMs >= horizonMs) return;
  throw new DomainError(
    'invalid_request',
    `dimension=hour_of_week: hours are kept for 35 days, so from must not be before ${isoTime(horizonMs)}.`,
  );
}

/** Members of several teams have a value of their own, so that each user is under one and cells never overlap. */
async function teamNames(ctx: Context, orgId: string): Promise<(user: string) => string> {
  const teams = await teamsByUser(ctx, orgId);
  return (user) => [...(teams.get(user) ?? [])].sort().join(' + ');
}

function judge(values: WeekCells, k: number): Verdict {
  return suppressWeek(
    [...values].map(([value, contributions]) => ({ value, contributions })),
    k,
  );
}

function newTally(): Tally {
  return { users: new Map(), visibleWeeks: 0, hiddenWeeks: 0 };
}

function countWeek(cells: Map<string, Tally>, values: WeekCells, verdict: Verdict): void {
  for (const [value, users] of values) {
    const tally = cells.get(value) ?? newTally();
    cells.set(value, tally);
    count(tally, users, verdict.hidden.has(value));
  }
}

function count(tally: Tally, users: readonly UserCell[], hidden: boolean): void {
  if (hidden) {
    tally.hiddenWeeks += 1;
    return;
  }
  tally.visibleWeeks += 1;
  for (const cell of users) {
    const known = tally.users.get(cell.user);
    if (known) addTo(known, cell);
    else tally.users.set(cell.user, { ...cell });
  }
}

function addTo(cell: UserCell, other: UserCell): void {
  cell.sessions += other.sessions;
  cell.signals += other.signals;
  cell.errors += other.errors;
  cell.tokens_in += other.tokens_in;
  cell.tokens_out += other.tokens_out;
  cell.cost_nusd += other.cost_nusd;
}

function viewTally(tally: Tally, k: number) {
  if (tally.visibleWeeks === 0) return { suppressed: true as const };
  const active = [...tally.users.values()].filter((user) => user.signals > 0);
  return {
    ...viewSums([...tally.users.values()]),
    median_cost_usd: active.length < 2 * k ? null : median(active.map((user) => user.cost_nusd)),
    hidden_weeks: tally.hiddenWeeks,
  };
}

function viewWeek(users: readonly UserCell[], hidden: boolean) {
  return hidden ? { suppressed: true as const } : viewSums(users);
}

function viewSums(cells: readonly UserCell[]) {
  const sum = (pick: (cell: UserCell) => number) => cells.reduce((total, cell) => total + pick(cell), 0);
  const active = new Set(cells.filter((cell) => cell.signals > 0).map((cell) => cell.user));
  return {
    active_users: active.size,
    sessions: sum((cell) => cell.sessions),
    signals: sum((cell) => cell.signals),
    errors: sum((cell) => cell.errors),
    tokens_in: sum((cell) => cell.tokens_in),
    tokens_out: sum((cell) => cell.tokens_out),
    cost_usd: usd4OfBig(cells.reduce((total, cell) => total + BigInt(cell.cost_nusd), 0n)),
  };
}

function viewCells(cells: ReadonlyMap<string, Tally>, dimension: Dimension, k: number) {
  const keyOf = (value: string): string | number | null => {
    if (dimension === 'hour_of_week') return Number(value);
    return dimension === 'team' && value === '' ? null : value;
  };
  const order = ([a]: [string, Tally], [b]: [string, Tally]) =>
    dimension === 'hour_of_week' ? Number(a) - Number(b) : a < b ? -1 : 1;
  return [...cells]
    .sort(order)
    .map(([value, tally]) => ({ key: { [dimension]: keyOf(value) }, ...viewTally(tally, k) }));
}
