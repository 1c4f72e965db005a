import { isoTime } from '../../../../platform/basics/clock.ts';
import { DomainError } from '../../../../platform/basics/errors.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { teamsByUser } from '../../../accounts/organizations/teams.ts';
import { usd9 } from '../../../pricing/money.ts';
import { zonesOf } from '../calendar.ts';
import type { SummedRow } from '../cells.ts';
import { columnOf, type Group, type GroupBy, groupRows } from '../group-usage.ts';
import { boundsOf, exactParts, type RangeInput } from '../range.ts';
import { matchOf, type UsageFilter, worksIn } from '../read-usage.ts';
import { serialized } from '../serialized.ts';
import { sumGroupings } from '../sum-rollups.ts';
import {
  abs,
  CHANGE_SPLITS,
  type Compared,
  compare,
  differenceOf,
  explain,
  type SplitBy,
} from './explain.ts';
import { beginningBefore } from './period-before.ts';
import { type Period, sumSessions } from './sum-sessions.ts';

const MOST_ROWS = 20;
/** Rows of one split that an explanation may have. */
const MOST_EXPLAINING = 3;

export interface ChangesQuestion extends Omit<RangeInput, 'interval'> {
  /** The period to compare with, epoch ms: by default as long, and it ends where the range begins. */
  before?: Pick<RangeInput, 'fromMs' | 'toMs'> | undefined;
  filter: UsageFilter;
  /** Splits by team too. */
  hasTeams: boolean;
}

interface Row extends Compared {
  rest?: true;
  twice?: true;
}

interface ShownSplit {
  by: SplitBy;
  rows: Row[];
}

/**
 * Compares the cost of a range with that of the period before it: by each split, whose rows sum to the difference, and by the few
 * rows that explain it (`explain`). All is read at one moment. The split by session is left out as `sumSessions` says. Throws
 * `invalid_request` as `readUsage` does, for either period.
 */
export async function readChanges(ctx: Context, organization: Organization, question: ChangesQuestion) {
  const now = boundsOf(ctx, question);
  const before = beforeOf(ctx, organization, now, question);
  const { total, splits } = await serialized(ctx, organization._id, () =>
    compareSplits(ctx, organization, { now, before }, question),
  );
  const difference = differenceOf(total);
  const named = splits.map(({ by, rows }) => ({ by, rows: rows.filter(({ key }) => key !== null) }));
  const explained = explain(total, named);
  return {
    ...viewPeriod(now),
    before: viewPeriod(before),
    ...viewCosts(total),
    splits: splits.map(({ by, rows }) => ({ by, rows: shorten(rows, total).map(viewRow) })),
    explained_by: explained && {
      by: explained.by,
      keys: explained.keys,
      share: shareOf(explained.differenceNusd, difference),
    },
  };
}

function beforeOf(
  ctx: Context,
  organization: Organization,
  now: Period,
  { before, timezone }: ChangesQuestion,
): Period {
  if (!before) {
    const zones = zonesOf(organization, timezone, ctx.clock.now());
    return { fromMs: beginningBefore(zones, now.fromMs, now.toMs), toMs: now.fromMs };
  }
  const period = boundsOf(ctx, before);
  if (period.toMs <= now.fromMs) return period;
  throw new DomainError('invalid_request', 'before_to must not be after from.');
}

async function compareSplits(
  ctx: Context,
  organization: Organization,
  { now, before }: Record<'now' | 'before', Period>,
  { filter, hasTeams }: ChangesQuestion,
): Promise<{ total: Omit<Compared, 'key'>; splits: ShownSplit[] }> {
  const groupBy = CHANGE_SPLITS.filter(isGrouping).filter((by) => by !== 'team' || hasTeams);
  const columns = [...new Set(groupBy.map(columnOf))];
  const match = matchOf(filter);
  const teams = hasTeams ? await teamsByUser(ctx, organization._id) : new Map<string, string[]>();
  return inTransaction(ctx.db, async (transaction) => {
    const sum = ({ fromMs, toMs }: Period) => {
      const parts = exactParts(organization, [fromMs, toMs], ctx.clock.now());
      const groupings = columns.map((column) => [column]);
      return sumGroupings(ctx, organization, { parts, match, groupings }, transaction);
    };
    const [rowsNow, rowsBefore] = [await sum(now), await sum(before)];
    const namesIn = (rows: SummedRow[][]) =>
      worksIn(ctx, organization, { rows: rows[columns.indexOf('work')] ?? [], groupBy }, transaction);
    const groupsIn = async (rows: SummedRow[][]) => {
      const names = { teams, works: await namesIn(rows) };
      return (by: GroupBy) =>
        groupRows(rows[columns.indexOf(columnOf(by))] ?? [], [by], names, ctx.config.maxGroups);
    };
    const [groupsNow, groupsBefore] = [await groupsIn(rowsNow), await groupsIn(rowsBefore)];
    const total = { nowNusd: costOf(rowsNow[0]), beforeNusd: costOf(rowsBefore[0]) };
    const splits = groupBy.map((by): ShownSplit => {
      const rows = compareGroups(by, groupsNow(by), groupsBefore(by));
      return { by, rows: by === 'team' ? withTwice(rows, total) : rows };
    });
    const bySession = await sumSessions(
      ctx,
      organization,
      {
        now,
        before,
        match,
        shown: { most: MOST_ROWS, inDirection: MOST_EXPLAINING, isUp: differenceOf(total) > 0n },
      },
      transaction,
    );
    return { total, splits: bySession ? [{ by: 'session', rows: bySession }, ...splits] : splits };
  });
}

function costOf(rows: readonly SummedRow[] = []): bigint {
  return rows.reduce((sum, { sums }) => sum + sums.cost_nusd, 0n);
}

/** The groups of both periods that cost anything in either. */
function compareGroups(by: GroupBy, now: readonly Group[], before: readonly Group[]): Row[] {
  const rows = new Map<string | null, Row>();
  const add = (groups: readonly Group[], field: 'nowNusd' | 'beforeNusd') => {
    for (const {
      key: { [by]: key = null },
      sums,
    } of groups) {
      const row = rows.get(key) ?? { key, nowNusd: 0n, beforeNusd: 0n };
      rows.set(key, { ...row, [field]: sums.cost_nusd });
    }
  };
  add(now, 'nowNusd');
  add(before, 'beforeNusd');
  return [...rows.values()].filter(({ nowNusd, beforeNusd }) => nowNusd !== 0n || beforeNusd !== 0n);
}

function isGrouping(by: SplitBy): by is Exclude<SplitBy, 'session'> {
  return by !== 'session';
}

/** Somebody in two teams counts in both: one more row takes away what is counted twice. */
function withTwice(rows: Row[], total: Omit<Compared, 'key'>): Row[] {
  const twice = { key: null, ...lessThan(total, rows), twice: true as const };
  return twice.nowNusd === 0n && twice.beforeNusd === 0n ? rows : [...rows, twice];
}

/** The rows that moved most, and one of all others, which keeps the sum. */
function shorten(rows: readonly Row[], total: Omit<Compared, 'key'>): Row[] {
  const ordered = rows.filter(({ twice }) => !twice).toSorted(byDifference);
  const shown = [...ordered.slice(0, MOST_ROWS), ...rows.filter(({ twice }) => twice)];
  const rest = { key: null, ...lessThan(total, shown), rest: true as const };
  const hasRest = ordered.length > MOST_ROWS || rest.nowNusd !== 0n || rest.beforeNusd !== 0n;
  return hasRest ? [...shown, rest] : shown;
}

function byDifference(a: Row, b: Row): number {
  const more = compare(abs(differenceOf(b)), abs(differenceOf(a)));
  return more || (String(a.key) < String(b.key) ? -1 : 1);
}

/** The costs that are left of a total without these rows. */
function lessThan(total: Omit<Compared, 'key'>, rows: readonly Row[]) {
  return rows.reduce(
    ({ nowNusd, beforeNusd }, row) => ({
      nowNusd: nowNusd - row.nowNusd,
      beforeNusd: beforeNusd - row.beforeNusd,
    }),
    { nowNusd: total.nowNusd, beforeNusd: total.beforeNusd },
  );
}

function viewPeriod({ fromMs, toMs }: Period) {
  return { from: isoTime(fromMs), to: isoTime(toMs) };
}

function viewRow({ key, rest, twice, ...costs }: Row) {
  return { key, ...viewCosts(costs), ...(rest ? { rest } : {}), ...(twice ? { twice } : {}) };
}

function viewCosts(costs: Omit<Compared, 'key'>) {
  return {
    cost_usd: usd9(costs.nowNusd),
    before_cost_usd: usd9(costs.beforeNusd),
    difference_usd: usd9(differenceOf(costs)),
  };
}

/** The share with four decimals. */
function shareOf(part: bigint, whole: bigint): number {
  return Math.round(Number((part * 1_000_000n) / whole) / 100) / 10_000;
}
