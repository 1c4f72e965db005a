import type { ClientSession } from 'mongoose';
import { listMembers } from '../administration/members.ts';
import type { Organization } from '../organizations/model.ts';
import { isoTime } from '../platform/basics/clock.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { bucketOf } from './calendar.ts';
import { added, coverRange } from './cover-range.ts';
import { addSums, isZero, noSums, type Sums, viewSums } from './measures.ts';
import { DIMENSIONS } from './model.ts';
import { type Range, type RangeInput, rangeOf } from './range.ts';
import { type SummedRow, sumRollups } from './sum-rollups.ts';
import type { Match } from './sum-sheets.ts';

export const GROUPINGS = [...DIMENSIONS, 'team'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface UsageFilter {
  user_id?: string | undefined;
  project_id?: string | undefined;
  model?: string | undefined;
  adapter?: string | undefined;
  /** The members that are in it now. */
  team?: string | undefined;
}

export interface UsageQuestion extends RangeInput {
  groupBy: readonly Grouping[];
  filter: UsageFilter;
}

interface Group {
  key: Record<string, string | null>;
  sums: Sums;
}

/** Sums of an organization's usage: over all, per bucket, per group; read at one moment, so they agree. */
export async function readUsage(ctx: Context, organization: Organization, question: UsageQuestion) {
  const range = rangeOf(ctx, organization, question);
  const teams = needsTeams(question) ? await teamsByUser(ctx, organization._id) : new Map<string, string[]>();
  const match = matchOf(question.filter, teams);
  const { totals, series, groups } = await inTransaction(ctx.db, (transaction) =>
    sumUp(ctx, organization, range, match, question.groupBy, teams, transaction),
  );
  return {
    from: isoTime(range.fromMs),
    to: isoTime(range.toMs),
    interval: range.interval,
    timezone: range.timezone,
    totals: viewSums(totals),
    series: series.map((sums, index) => ({
      start: isoTime(range.edges[index] ?? 0),
      ...viewSums(sums),
    })),
    groups: groups.map(({ key, sums }) => ({ key, ...viewSums(sums) })),
  };
}

function needsTeams({ groupBy, filter }: UsageQuestion): boolean {
  return groupBy.includes('team') || filter.team !== undefined;
}

/** A team is its members now. */
export async function teamsByUser(ctx: Context, orgId: string): Promise<Map<string, string[]>> {
  const members = await listMembers(ctx, orgId);
  return new Map(members.map((member) => [member.user_id, member.teams]));
}

/** A filter as MongoDB takes it; `teams` by user when it names one. */
export function matchOf(filter: UsageFilter, teams: ReadonlyMap<string, string[]> = new Map()): Match {
  const { team, ...equal } = filter;
  const match: Match = {};
  for (const name of DIMENSIONS) if (equal[name] !== undefined) match[name] = equal[name];
  if (team === undefined) return match;
  const users = [...teams].filter(([, names]) => names.includes(team)).map(([user]) => user);
  const named = filter.user_id;
  match.user_id = { $in: named === undefined ? users : users.filter((user) => user === named) };
  return match;
}

async function sumUp(
  ctx: Context,
  organization: Organization,
  range: Range,
  match: Match,
  groupBy: readonly Grouping[],
  teams: ReadonlyMap<string, string[]>,
  transaction: ClientSession,
): Promise<{ totals: Sums; series: Sums[]; groups: Group[] }> {
  const totals = noSums();
  const hasSeries = range.interval !== 'none';
  const series = hasSeries ? range.edges.slice(1).map(noSums) : [];
  if (hasSeries) {
    const asked = { reads: range.reads.map(added), match, columns: ['start'] } as const;
    for (const { key, sums } of await sumRollups(ctx, organization, asked, transaction)) {
      addSums(totals, sums);
      const bucket = series[bucketOf(range.edges, Number(key.start))];
      if (bucket) addSums(bucket, sums);
    }
    if (groupBy.length === 0) return { totals, series, groups: [] };
  }
  const dimensions = groupBy.map((grouping) => (grouping === 'team' ? 'user_id' : grouping));
  const reads = coverRange(organization, range.fromMs, range.toMs, ctx.clock.now());
  const asked = { reads, match, columns: [...new Set(dimensions)] };
  const rows = await sumRollups(ctx, organization, asked, transaction);
  if (!hasSeries) for (const { sums } of rows) addSums(totals, sums);
  return { totals, series, groups: groupBy.length === 0 ? [] : groupsOf(rows, groupBy, teams) };
}

/** Merges rows of equal key, in order of it. A member of several teams counts in each of them. */
function groupsOf(
  rows: readonly SummedRow[],
  groupBy: readonly Grouping[],
  teams: ReadonlyMap<string, string[]>,
): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    for (const key of keysOf(row, groupBy, teams)) {
      const id = JSON.stringify(Object.values(key));
      const group = groups.get(id) ?? { key, sums: noSums() };
      groups.set(id, group);
      addSums(group.sums, row.sums);
    }
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  // A session that moved to another model or start leaves a row of zeros behind.
  return sorted.filter(({ sums }) => !isZero(sums));
}

function keysOf(
  row: SummedRow,
  groupBy: readonly Grouping[],
  teams: ReadonlyMap<string, string[]>,
): Record<string, string | null>[] {
  const plain = groupBy.filter((grouping) => grouping !== 'team');
  const inOrder = (team: string | null) =>
    Object.fromEntries(groupBy.map((name) => [name, name === 'team' ? team : String(row.key[name])]));
  if (plain.length === groupBy.length) return [inOrder(null)];
  const names = teams.get(String(row.key.user_id)) ?? [];
  return names.length === 0 ? [inOrder(null)] : names.map(inOrder);
}
