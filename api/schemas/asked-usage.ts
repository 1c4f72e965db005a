import type { Organization } from '../../shared/core/accounts/organizations/model.ts';
import { narrowToReader, type Reader } from '../../shared/core/accounts/organizations/reader.ts';
import { dimensionOf } from '../../shared/core/calls/sessions/dimension.ts';
import { zonesOf } from '../../shared/core/calls/usage/calendar.ts';
import { readChanges } from '../../shared/core/calls/usage/changes/read-changes.ts';
import { readGroupSeries } from '../../shared/core/calls/usage/read-group-series.ts';
import { readUsage } from '../../shared/core/calls/usage/read-usage.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { DAY_MS } from '../../shared/platform/basics/interval.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { usersOfNamedTeam } from '../auth/own-organization.ts';
import { rangeIn, type TimeOrDate } from './time.ts';
import { MOST_GROUP_SERIES, refuseMisplaced, type UsageQuery } from './usage-query.ts';

/** The calls that a query's filters leave to its reader. Throws as `usersOfNamedTeam`. */
export async function askedCalls(ctx: Context, reader: Reader, query: Partial<UsageQuery>) {
  const { user_id, project_id, model, adapter, team } = query;
  const users = await usersOfNamedTeam(ctx, reader, team);
  const works = await dimensionOf(ctx).find(ctx, reader.orgId, query);
  return { ...narrowToReader(reader, { user_id, project_id, model, adapter }), users, works };
}

/** The usage that a query asks for. Throws `invalid_request`, and as `usersOfNamedTeam`. */
export async function readAskedUsage(
  ctx: Context,
  reader: Reader,
  organization: Organization,
  query: UsageQuery,
) {
  refuseMisplaced(query);
  const { from, to, interval, timezone, group_by: groupBy = [], series, top } = query;
  const filter = await askedCalls(ctx, reader, query);
  const range = rangeIn(zonesOf(organization, timezone, ctx.clock.now()), { from, to });
  const question = { ...range, interval, timezone, groupBy, filter };
  if (series === undefined) return readUsage(ctx, organization, question);
  return readGroupSeries(ctx, organization, question, top ?? MOST_GROUP_SERIES.default);
}

/** The days that a question about changes compares by default: those before them are told exactly too. */
const CHANGES_SPAN_MS = 7 * DAY_MS;

/** The change in the range of a query from the period before. Throws `invalid_request`, and as `usersOfNamedTeam`. */
export async function readAskedChanges(
  ctx: Context,
  reader: Reader,
  organization: Organization,
  query: ChangesQuery,
) {
  const { from, to, timezone, before_from, before_to } = query;
  const filter = await askedCalls(ctx, reader, query);
  const nowMs = ctx.clock.now();
  const zones = zonesOf(organization, timezone, nowMs);
  const { fromMs, toMs = nowMs } = rangeIn(zones, { from, to });
  const named = rangeIn(zones, { from: before_from, to: before_to });
  if ((named.fromMs === undefined) !== (named.toMs === undefined))
    throw new DomainError('invalid_request', 'before_from and before_to go together.');
  const before = named.fromMs === undefined ? undefined : named;
  const range = { fromMs: fromMs ?? toMs - CHANGES_SPAN_MS, toMs };
  const hasTeams = reader.userId === null && organization.plan !== 'free';
  const asked = { ...range, before, timezone, filter, hasTeams };
  return readChanges(ctx, organization, asked);
}

type ChangesQuery = Omit<UsageQuery, 'interval' | 'group_by' | 'series' | 'top'> & {
  before_from?: TimeOrDate | undefined;
  before_to?: TimeOrDate | undefined;
};
