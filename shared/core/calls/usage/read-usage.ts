import type { ClientSession } from 'mongoose';
import { isoTime } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { teamsByUser } from '../../accounts/organizations/teams.ts';
import { dimensionOf } from '../sessions/dimension.ts';
import { WORK_FIELDS, type WorkNames } from '../signals/place.ts';
import { bucketOf } from './calendar.ts';
import type { Match, SummedRow } from './cells.ts';
import { columnOf, type Group, type GroupBy, groupRows, isMerged } from './group-usage.ts';
import { addSums, noSums, type Sums, viewSums } from './measures.ts';
import { DIMENSIONS } from './model.ts';
import { type Range, type RangeInput, rangeOf } from './range.ts';
import { serialized } from './serialized.ts';
import { type AskedSums, sumRollups } from './sum-rollups.ts';

export interface UsageFilter {
  user_id?: string | undefined;
  project_id?: string | undefined;
  model?: string | undefined;
  adapter?: string | undefined;
  /** The users that are meant, such as the members of a team. */
  users?: readonly string[] | undefined;
  /** The works that are meant, such as those of a branch. */
  works?: readonly string[] | undefined;
}

export interface UsageQuestion extends RangeInput {
  groupBy: readonly GroupBy[];
  filter: UsageFilter;
}

/** Sums of an organization's usage: over all, per bucket, per group; read at one moment, so they agree. */
export async function readUsage(ctx: Context, organization: Organization, question: UsageQuestion) {
  const range = rangeOf(ctx, organization, question);
  const teams = await teamsFor(ctx, organization, question);
  const asked = { range, match: matchOf(question.filter), groupBy: question.groupBy, teams };
  const read = () => inTransaction(ctx.db, (transaction) => sumUp(ctx, organization, asked, transaction));
  const isLong = question.groupBy.length > 0;
  const { totals, series, groups } = await (isLong ? serialized(ctx, organization._id, read) : read());
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

/** The teams of each user, where a question groups by them. */
export async function teamsFor(
  ctx: Context,
  { _id }: Pick<Organization, '_id'>,
  { groupBy }: Pick<UsageQuestion, 'groupBy'>,
): Promise<ReadonlyMap<string, string[]>> {
  return groupBy.includes('team') ? teamsByUser(ctx, _id) : new Map();
}

/** A filter as MongoDB takes it. */
export function matchOf({ users, works, ...equal }: UsageFilter): Match {
  const match: Match = works === undefined ? {} : { work: { $in: [...works] } };
  for (const name of DIMENSIONS) if (equal[name] !== undefined) match[name] = equal[name];
  if (users === undefined) return match;
  const named = equal.user_id;
  match.user_id = { $in: named === undefined ? [...users] : users.filter((user) => user === named) };
  return match;
}

interface WorkRows {
  rows: readonly SummedRow[];
  groupBy: readonly GroupBy[];
}

/** The names of the works in the keys of rows, as far as they are grouped by, as of the transaction's snapshot. */
export function worksIn(
  ctx: Context,
  { _id }: Pick<Organization, '_id'>,
  { rows, groupBy }: WorkRows,
  transaction: ClientSession,
): Promise<WorkNames> {
  const ids = new Set(rows.map(({ key }) => String(key.work ?? '')));
  const fields = WORK_FIELDS.filter((name) => groupBy.includes(name));
  return dimensionOf(ctx).names(ctx, _id, { ids, fields }, transaction);
}

interface Asked {
  range: Range;
  match: Match;
  groupBy: readonly GroupBy[];
  teams: ReadonlyMap<string, string[]>;
}

interface Answer {
  totals: Sums;
  series: Sums[];
  groups: Group[];
}

async function sumUp(
  ctx: Context,
  organization: Organization,
  { range, match, groupBy, teams }: Asked,
  transaction: ClientSession,
): Promise<Answer> {
  const { maxGroups } = ctx.config;
  const sum = (asked: Omit<AskedSums, 'match'>) =>
    sumRollups(ctx, organization, { match, ...asked }, transaction);
  const series = range.interval === 'none' ? [] : range.edges.slice(1).map(noSums);
  const totals = noSums();
  const { parts, edges } = range;
  for (const { key, sums } of await sum({ parts, edges, columns: ['start'] })) {
    addSums(totals, sums);
    const bucket = series[bucketOf(edges, Number(key.start))];
    if (bucket) addSums(bucket, sums);
  }
  if (groupBy.length === 0) return { totals, series, groups: [] };
  const columns = [...new Set(groupBy.map(columnOf))];
  const mostGroups = groupBy.some(isMerged) ? undefined : maxGroups;
  const rows = await sum({ parts: range.wholeParts, columns, mostGroups });
  const works = await worksIn(ctx, organization, { rows, groupBy }, transaction);
  return { totals, series, groups: groupRows(rows, groupBy, { teams, works }, maxGroups) };
}
