import type { Organization } from '../organizations/model.ts';
import { isoTime } from '../platform/basics/clock.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { bucketOf } from './calendar.ts';
import type { SummedRow } from './cells.ts';
import { refuseGroups } from './group-usage.ts';
import { addSums, isZero, noSums, type Sums, viewSums } from './measures.ts';
import type { Dimensions } from './model.ts';
import { type Range, rangeOf } from './range.ts';
import { matchOf, type UsageQuestion } from './read-usage.ts';
import { serialized } from './serialized.ts';
import { sumGroupings } from './sum-rollups.ts';

interface GroupSeries {
  /** Null: the rest. */
  value: string | null;
  sums: Sums;
  /** The buckets in which it has any usage: thousands of groups may have thousands of buckets. */
  series: Map<number, Sums>;
}

/** The groups of one dimension by falling cost; `top` of them and the rest are shown. */
interface Grouped {
  by: keyof Dimensions;
  groups: GroupSeries[];
}

/**
 * As `readUsage`, but each of `groupBy` is grouped for itself, and each group has a series: of the `top` that cost most, the
 * others together. `totals` count the users with any usage, and so does each bucket where `user_id` is among the groupings.
 * Throws `invalid_request` without an interval, without a grouping, and for teams.
 */
export async function readGroupSeries(
  ctx: Context,
  organization: Organization,
  question: UsageQuestion,
  top: number,
) {
  const dimensions = question.groupBy.filter((by) => by !== 'team');
  if (dimensions.length === 0 || dimensions.length < question.groupBy.length || question.interval === 'none')
    throw new DomainError('invalid_request', '`series` needs a group_by and an interval.');
  const range = rangeOf(ctx, organization, question);
  const asked = {
    parts: range.parts,
    match: matchOf(question.filter),
    // Users are counted also where they are not shown.
    groupings: [...dimensions.map((by) => ['start', by] as const), ['user_id'] as const],
    edges: range.edges,
    mostGroups: ctx.config.maxGroups,
  };
  const found = await serialized(ctx, organization._id, () =>
    inTransaction(ctx.db, (transaction) => sumGroupings(ctx, organization, asked, transaction)),
  );
  const users = found.pop()?.filter(({ sums }) => !isZero(sums)) ?? [];
  const grouped = dimensions.map((by, at) => ({
    by,
    groups: groupsOf(found[at] ?? [], range, by, ctx.config.maxGroups),
  }));
  return viewOf(range, grouped, { top, activeUsers: users.length });
}

function viewOf(range: Range, grouped: readonly Grouped[], shown: { top: number; activeUsers: number }) {
  const starts = range.edges.slice(0, -1).map(isoTime);
  const all = sumOf(grouped[0]?.groups ?? []);
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
    groups: listed.map(({ by, value, sums, series }) => ({
      key: keyOf(by, value, grouped.length),
      ...viewSums(sums),
      series: viewSeries(series),
    })),
  };
}

/** The rest has no key; where several dimensions are grouped, it names its dimension. */
function keyOf(by: keyof Dimensions, value: string | null, dimensions: number) {
  return value === null && dimensions === 1 ? null : { [by]: value };
}

/** The number of users that have any usage in each bucket. */
function countActive(users: readonly GroupSeries[]): Map<number, number> {
  const active = new Map<number, number>();
  for (const { series } of users)
    for (const [bucket, sums] of series) if (!isZero(sums)) active.set(bucket, (active.get(bucket) ?? 0) + 1);
  return active;
}

/** The groups that have any usage, by falling cost. */
function groupsOf(
  rows: readonly SummedRow[],
  { edges }: Range,
  by: keyof Dimensions,
  mostGroups: number,
): GroupSeries[] {
  const groups = new Map<string, GroupSeries>();
  for (const { key, sums } of rows) {
    const value = String(key[by]);
    const group = groups.get(value) ?? newGroup(value);
    groups.set(value, group);
    if (groups.size > mostGroups) refuseGroups(mostGroups);
    addSums(group.sums, sums);
    addToBucket(group, bucketOf(edges, Number(key.start)), sums);
  }
  return [...groups.values()].filter(({ sums }) => !isZero(sums)).toSorted(byCostDesc);
}

/** The groups that cost most, and then the rest, where there is one. Pure. */
function topOf(ordered: GroupSeries[], top: number): GroupSeries[] {
  const others = ordered.slice(top);
  return others.length === 0 ? ordered : [...ordered.slice(0, top), sumOf(others)];
}

/** All groups as one without a name. */
function sumOf(groups: readonly GroupSeries[]): GroupSeries {
  const all = newGroup(null);
  for (const { sums, series } of groups) {
    addSums(all.sums, sums);
    for (const [bucket, own] of series) addToBucket(all, bucket, own);
  }
  return all;
}

function newGroup(value: string | null): GroupSeries {
  return { value, sums: noSums(), series: new Map() };
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
