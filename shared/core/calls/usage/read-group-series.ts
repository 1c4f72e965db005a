import { isoTime } from '../../../platform/basics/clock.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { bucketOf } from './calendar.ts';
import type { SummedRow } from './cells.ts';
import {
  columnOf,
  type GroupBy,
  type GroupNames,
  isMerged,
  refuseGroups,
  valueOfKey,
} from './group-usage.ts';
import { addSums, isZero, noSums, type Sums, viewSums } from './measures.ts';
import { type Range, rangeOf } from './range.ts';
import { matchOf, teamsFor, type UsageQuestion, worksIn } from './read-usage.ts';
import { serialized } from './serialized.ts';
import { sumGroupings } from './sum-rollups.ts';

interface GroupSeries {
  /** Null: those in no team. */
  value: string | null;
  /** All that are not shown by themselves. */
  isRest: boolean;
  sums: Sums;
  /** The buckets in which it has any usage: thousands of groups may have thousands of buckets. */
  series: Map<number, Sums>;
}

/** The groups of one dimension by falling cost; `top` of them and the rest are shown. */
interface Grouped {
  by: GroupBy;
  groups: GroupSeries[];
}

/**
 * As `readUsage`, but each of `groupBy` is grouped for itself, and each group has a series: of the `top` that cost most, the
 * others together. `totals` count the users with any usage, and so does each bucket where `user_id` is among the groupings.
 * A member of several teams counts in each. Throws `invalid_request` without an interval and without a grouping.
 */
export async function readGroupSeries(
  ctx: Context,
  organization: Organization,
  question: UsageQuestion,
  top: number,
) {
  const { groupBy } = question;
  if (groupBy.length === 0 || question.interval === 'none')
    throw new DomainError('invalid_request', '`series` needs a group_by and an interval.');
  const range = rangeOf(ctx, organization, question);
  const teams = await teamsFor(ctx, organization, question);
  const { maxGroups } = ctx.config;
  // Teams are made of users: where both are asked for, one sum is enough.
  const columns = [...new Set(groupBy.map(columnOf))];
  const asked = {
    parts: range.parts,
    match: matchOf(question.filter),
    // Users are counted also where they are not shown.
    groupings: [
      ...columns.map((column) => ['start', column] as const),
      ...(columns.includes('user_id') ? [] : [['user_id'] as const]),
    ],
    edges: range.edges,
    mostGroups: groupBy.some(isMerged) ? undefined : maxGroups,
  };
  const { found, works } = await serialized(ctx, organization._id, () =>
    inTransaction(ctx.db, async (transaction) => {
      const sums = await sumGroupings(ctx, organization, asked, transaction);
      const rows = sums[columns.indexOf('work')] ?? [];
      return { found: sums, works: await worksIn(ctx, organization, { rows, groupBy }, transaction) };
    }),
  );
  const byUser = columns.includes('user_id') ? found[columns.indexOf('user_id')] : found.at(-1);
  const active = byUser?.filter(({ sums }) => !isZero(sums)) ?? [];
  const activeUsers = new Set(active.map(({ key }) => key.user_id)).size;
  const grouped = groupBy.map((by) => {
    const rows = found[columns.indexOf(columnOf(by))] ?? [];
    return { by, groups: groupsOf(rows, range, { by, teams, works, mostGroups: maxGroups }) };
  });
  const all = newGroup(null);
  // Each grouping by time has all cells, and one by models has fewer rows than one by users.
  const [fewest = []] = found.slice(0, columns.length).toSorted((a, b) => a.length - b.length);
  for (const row of fewest) addRow(all, range, row);
  return viewOf(range, grouped, { all, top, activeUsers });
}

function viewOf(
  range: Range,
  grouped: readonly Grouped[],
  shown: { all: GroupSeries; top: number; activeUsers: number },
) {
  const starts = range.edges.slice(0, -1).map(isoTime);
  const { all } = shown;
  const byUser = grouped.find(({ by }) => by === 'user_id')?.groups;
  const activeIn = byUser && countActive(byUser);
  const viewSeries = (series: ReadonlyMap<number, Sums>) =>
    starts.map((start, bucket) => ({ start, ...viewSums(series.get(bucket) ?? noSums()) }));
  const listed = grouped.flatMap(({ by, groups }) => topOf(groups, shown.top).map((one) => ({ by, ...one })));
  return {
    from: isoTime(range.fromMs),
    to: isoTime(range.toMs),
    interval: range.interval,
    timezone: range.timezone,
    totals: { ...viewSums(all.sums), active_users: shown.activeUsers },
    series: viewSeries(all.series).map((bucket, index) =>
      activeIn ? { ...bucket, active_users: activeIn.get(index) ?? 0 } : bucket,
    ),
    groups: listed.map(({ by, value, isRest, sums, series }) => ({
      // Where several dimensions are grouped, the rest names its own.
      key: isRest && grouped.length === 1 ? null : { [by]: value },
      ...(isRest ? { rest: true as const } : {}),
      ...viewSums(sums),
      series: viewSeries(series),
    })),
  };
}

function countActive(users: readonly GroupSeries[]): Map<number, number> {
  const active = new Map<number, number>();
  for (const { series } of users)
    for (const [bucket, sums] of series) if (!isZero(sums)) active.set(bucket, (active.get(bucket) ?? 0) + 1);
  return active;
}

interface Grouping extends GroupNames {
  by: GroupBy;
  mostGroups: number;
}

/** The groups that have any usage, by falling cost. */
function groupsOf(rows: readonly SummedRow[], range: Range, grouping: Grouping): GroupSeries[] {
  const groups = new Map<string | null, GroupSeries>();
  for (const row of rows) {
    for (const value of valuesOf(row, grouping)) {
      const group = groups.get(value) ?? newGroup(value);
      groups.set(value, group);
      if (groups.size > grouping.mostGroups) refuseGroups(grouping.mostGroups);
      addRow(group, range, row);
    }
  }
  return [...groups.values()].filter(({ sums }) => !isZero(sums)).toSorted(byCostDesc);
}

/** The groups that a row counts in: each team of its user, or none of them. */
function valuesOf({ key }: SummedRow, { by, teams, works }: Grouping): (string | null)[] {
  if (by !== 'team') return [valueOfKey(key, by, works)];
  const names = teams.get(String(key.user_id)) ?? [];
  return names.length === 0 ? [null] : names;
}

function addRow(group: GroupSeries, { edges }: Range, { key, sums }: SummedRow): void {
  addSums(group.sums, sums);
  addToBucket(group, bucketOf(edges, Number(key.start)), sums);
}

/** The groups that cost most, and then the rest, where there is one. Pure. */
function topOf(ordered: GroupSeries[], top: number): GroupSeries[] {
  const others = ordered.slice(top);
  return others.length === 0 ? ordered : [...ordered.slice(0, top), restOf(others)];
}

function restOf(groups: readonly GroupSeries[]): GroupSeries {
  const rest = { ...newGroup(null), isRest: true };
  for (const { sums, series } of groups) {
    addSums(rest.sums, sums);
    for (const [bucket, own] of series) addToBucket(rest, bucket, own);
  }
  return rest;
}

function newGroup(value: string | null): GroupSeries {
  return { value, isRest: false, sums: noSums(), series: new Map() };
}

function addToBucket({ series }: GroupSeries, bucket: number, sums: Sums): void {
  const known = series.get(bucket);
  if (known) addSums(known, sums);
  else series.set(bucket, { ...sums });
}

/** By cost, then by signals, then by name, so that the order is the same every time. */
function byCostDesc(a: GroupSeries, b: GroupSeries): number {
  if (a.sums.cost_nusd !== b.sums.cost_nusd) return a.sums.cost_nusd > b.sums.cost_nusd ? -1 : 1;
  if (a.sums.signals !== b.sums.signals) return b.sums.signals - a.sums.signals;
  return (a.value ?? '') < (b.value ?? '') ? -1 : 1;
}
