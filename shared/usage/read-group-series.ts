import type { Organization } from '../organizations/model.ts';
import { isoTime } from '../platform/basics/clock.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { bucketOf } from './calendar.ts';
import { refuseGroups } from './group-usage.ts';
import { addSums, isZero, noSums, type Sums, viewSums } from './measures.ts';
import type { Dimensions } from './model.ts';
import { type Range, rangeOf } from './range.ts';
import { matchOf, type UsageQuestion } from './read-usage.ts';
import { splitBucket } from './split-range.ts';
import { sumRollups } from './sum-rollups.ts';
import type { SummedRow } from './sum-tables.ts';

interface GroupSeries {
  /** Null: the rest. */
  value: string | null;
  sums: Sums;
  series: Sums[];
}

/** Buckets of one group, of which its series is made: a bound on what is held at once. */
const ROWS_PER_GROUP = 10;

/**
 * As `readUsage`, with a series of each group: of the `top` that cost most, the others together. `totals` count the users
 * with any usage. Throws `invalid_request` unless there is an interval and exactly one grouping that is no team.
 */
export async function readGroupSeries(
  ctx: Context,
  organization: Organization,
  question: UsageQuestion,
  top: number,
) {
  const [by] = question.groupBy;
  if (question.groupBy.length !== 1 || by === undefined || by === 'team' || question.interval === 'none')
    throw new DomainError('invalid_request', 'series=groups needs exactly one group_by and an interval.');
  const range = rangeOf(ctx, organization, question);
  const match = matchOf(question.filter);
  const whole = splitBucket(organization, range.fromMs, range.toMs, ctx.clock.now());
  const mostRows = ctx.config.maxGroups * ROWS_PER_GROUP;
  const { rows, users } = await inTransaction(ctx.db, async (transaction) => ({
    rows: await sumRollups(
      ctx,
      organization,
      { parts: range.parts, match, columns: ['start', by], edges: range.edges, mostRows },
      transaction,
    ),
    // Who is grouped by user is counted already.
    users:
      by === 'user_id'
        ? null
        : await sumRollups(ctx, organization, { parts: whole, match, columns: ['user_id'] }, transaction),
  }));
  const groups = groupsOf(rows, range, by, ctx.config.maxGroups);
  const activeUsers = users ? users.filter(({ sums }) => !isZero(sums)).length : groups.length;
  return viewOf(range, by, topOf(groups, range, top), activeUsers);
}

function viewOf(range: Range, by: keyof Dimensions, groups: GroupSeries[], activeUsers: number) {
  const starts = range.edges.slice(0, -1).map(isoTime);
  const totals = noSums();
  const series = starts.map(noSums);
  for (const group of groups) {
    addSums(totals, group.sums);
    group.series.forEach((sums, index) => {
      addSums(series[index] ?? noSums(), sums);
    });
  }
  const viewSeries = (all: readonly Sums[]) =>
    all.map((sums, index) => ({ start: starts[index] ?? '', ...viewSums(sums) }));
  return {
    from: isoTime(range.fromMs),
    to: isoTime(range.toMs),
    interval: range.interval,
    timezone: range.timezone,
    totals: { ...viewSums(totals), active_users: activeUsers },
    series: viewSeries(series),
    groups: groups.map(({ value, sums, series: own }) => ({
      key: value === null ? null : { [by]: value },
      ...viewSums(sums),
      series: viewSeries(own),
    })),
  };
}

/** All that have any usage, dearest first. Pure. */
function groupsOf(
  rows: readonly SummedRow[],
  range: Range,
  by: keyof Dimensions,
  mostGroups: number,
): GroupSeries[] {
  const groups = new Map<string, GroupSeries>();
  for (const { key, sums } of rows) {
    const value = String(key[by]);
    const group = groups.get(value) ?? newGroup(value, range);
    groups.set(value, group);
    if (groups.size > mostGroups) refuseGroups(mostGroups);
    addSums(group.sums, sums);
    const bucket = group.series[bucketOf(range.edges, Number(key.start))];
    if (bucket) addSums(bucket, sums);
  }
  return [...groups.values()].filter(({ sums }) => !isZero(sums)).toSorted(dearestFirst);
}

/** Those that cost most, and then the rest, where there is one. Pure. */
function topOf(ordered: GroupSeries[], range: Range, top: number): GroupSeries[] {
  const others = ordered.slice(top);
  if (others.length === 0) return ordered;
  const rest = newGroup(null, range);
  for (const { sums, series } of others) {
    addSums(rest.sums, sums);
    series.forEach((bucket, index) => {
      addSums(rest.series[index] ?? noSums(), bucket);
    });
  }
  return [...ordered.slice(0, top), rest];
}

function newGroup(value: string | null, { edges }: Range): GroupSeries {
  return { value, sums: noSums(), series: edges.slice(1).map(noSums) };
}

/** By cost, then by signals, then by name, so that the order is the same every time. */
function dearestFirst(a: GroupSeries, b: GroupSeries): number {
  if (a.sums.cost_nusd !== b.sums.cost_nusd) return a.sums.cost_nusd > b.sums.cost_nusd ? -1 : 1;
  if (a.sums.signals !== b.sums.signals) return b.sums.signals - a.sums.signals;
  return (a.value ?? '') < (b.value ?? '') ? -1 : 1;
}
