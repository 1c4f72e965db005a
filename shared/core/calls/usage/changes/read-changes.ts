import { isoTime } from '../../../../platform/basics/clock.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { teamsByUser } from '../../../accounts/organizations/teams.ts';
import { usd9 } from '../../../pricing/money.ts';
import { zonesOf } from '../calendar.ts';
import type { SummedRow } from '../cells.ts';
import { columnOf, type GroupBy } from '../group-usage.ts';
import { addSums, noSums } from '../measures.ts';
import { boundsOf, exactParts, type RangeInput } from '../range.ts';
import { groupsOf } from '../read-group-series.ts';
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
import { type Edges, sumSessions } from './sum-sessions.ts';

const MOST_ROWS = 20;
/** Rows of one split that an explanation may have. */
const MOST_EXPLAINING = 3;

export interface ChangesQuestion extends Omit<RangeInput, 'interval'> {
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
 * Compares the cost of a range with that of the period before it, which is as long and ends where the range begins: by each split,
 * whose rows sum to the difference, and by the few rows that explain it (`explain`). All is read at one moment. The split by
 * session is left out as `sumSessions` says. Throws `invalid_request` as `readUsage` does, for either period.
 */
export async function readChanges(ctx: Context, organization: Organization, question: ChangesQuestion) {
  const { fromMs, toMs } = boundsOf(ctx, question);
  const zones = zonesOf(organization, question.timezone, ctx.clock.now());
  const edges: Edges = [beginningBefore(zones, fromMs, toMs), fromMs, toMs];
  const { total, splits } = await serialized(ctx, organization._id, () =>
    compareSplits(ctx, organization, edges, question),
  );
  const difference = differenceOf(total);
  const explained = explain(
    total,
    splits.map(({ by, rows }) => ({ by, rows: rows.filter(isNamed) })),
  );
  return {
    from: isoTime(fromMs),
    to: isoTime(toMs),
    before: { from: isoTime(edges[0]), to: isoTime(fromMs) },
    ...viewCosts(total),
    splits: splits.map(({ by, rows }) => ({ by, rows: shorten(rows, total).map(viewRow) })),
    explained_by: explained && {
      by: explained.by,
      keys: explained.keys,
      share: shareOf(explained.differenceNusd, difference),
    },
  };
}

async function compareSplits(
  ctx: Context,
  organization: Organization,
  edges: Edges,
  { filter, hasTeams }: ChangesQuestion,
): Promise<{ total: Omit<Compared, 'key'>; splits: ShownSplit[] }> {
  const groupBy = CHANGE_SPLITS.filter(isGrouping).filter((by) => by !== 'team' || hasTeams);
  const columns = [...new Set(groupBy.map(columnOf))];
  const match = matchOf(filter);
  const asked = {
    parts: exactParts(organization, edges, ctx.clock.now()),
    edges,
    match,
    groupings: columns.map((column) => ['start', column] as const),
  };
  const teams = hasTeams ? await teamsByUser(ctx, organization._id) : new Map<string, string[]>();
  return inTransaction(ctx.db, async (transaction) => {
    const found = await sumGroupings(ctx, organization, asked, transaction);
    const rowsOf = (by: GroupBy) => found[columns.indexOf(columnOf(by))] ?? [];
    const works = await worksIn(ctx, organization, { rows: rowsOf('task'), groupBy }, transaction);
    const { signals, ...total } = totalOf(found[0] ?? [], edges);
    const byGroup = groupBy.map((by): ShownSplit => {
      const grouping = { by, teams, works, mostGroups: ctx.config.maxGroups };
      const groups = groupsOf(rowsOf(by), { edges: [...edges] }, grouping);
      const rows = groups.map(({ value, series }) => ({
        key: value === '' ? null : value,
        beforeNusd: series.get(0)?.cost_nusd ?? 0n,
        nowNusd: series.get(1)?.cost_nusd ?? 0n,
      }));
      const costing = rows.filter(({ nowNusd, beforeNusd }) => nowNusd !== 0n || beforeNusd !== 0n);
      return { by, rows: by === 'team' ? withTwice(costing, total) : costing };
    });
    const shown = { most: MOST_ROWS, inDirection: MOST_EXPLAINING, isUp: differenceOf(total) > 0n };
    const bySession = await sumSessions(
      ctx,
      { orgId: organization._id, edges, match, signals, shown },
      transaction,
    );
    return { total, splits: bySession ? [{ by: 'session', rows: bySession }, ...byGroup] : byGroup };
  });
}

function isGrouping(by: SplitBy): by is Exclude<SplitBy, 'session'> {
  return by !== 'session';
}

/** The costs of both periods, and the number of their signals together. */
function totalOf(rows: readonly SummedRow[], [, middleMs]: Edges) {
  const [before, now] = [noSums(), noSums()];
  for (const { key, sums } of rows) addSums(Number(key.start) < middleMs ? before : now, sums);
  return {
    nowNusd: now.cost_nusd,
    beforeNusd: before.cost_nusd,
    signals: now.signals + before.signals,
  };
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

function isNamed({ key }: Row): boolean {
  return key !== null;
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
