import { z } from 'zod';
import { readOrganization, timezoneAt } from '../../shared/core/accounts/organizations/read-organization.ts';
import { narrowToReader } from '../../shared/core/accounts/organizations/reader.ts';
import { dimensionOf } from '../../shared/core/calls/sessions/dimension.ts';
import { INTERVALS, zonesOf } from '../../shared/core/calls/usage/calendar.ts';
import { measuresView } from '../../shared/core/calls/usage/measures.ts';
import { readUsage } from '../../shared/core/calls/usage/read-usage.ts';
import { timezone } from '../../shared/platform/basics/text.ts';
import { rangeIn } from '../schemas/time.ts';
import { ownGroupings, workFilters } from '../schemas/usage-query.ts';
import { countThatFits, plainAnswer } from './tool/plain.ts';
import { filters, money, range, refuseOtherUser, tool } from './tool/tool.ts';

export const whoami = tool({
  name: 'whoami',
  title: 'Whose credential is this',
  description: 'The organization and the user behind the credential, and what it may do.',
  scope: null,
  isReader: true,
  input: z.strictObject({}),
  output: z.strictObject({
    user_id: z.string().nullable().describe('Null: all users of the organization'),
    org_id: z.string(),
    org_name: z.string(),
    timezone: z.string(),
    scopes: z.array(z.string()),
    credential: z.enum(['api_key', 'person']),
  }),
  run: async (ctx, { orgId, userId, scopes, isPerson }) => {
    const organization = await readOrganization(ctx, orgId);
    return {
      user_id: userId,
      org_id: orgId,
      org_name: organization.name,
      timezone: timezoneAt(organization, ctx.clock.now()),
      scopes: [...scopes],
      credential: isPerson ? 'person' : 'api_key',
    };
  },
});

/** Groups that a result has at most: those that cost most. */
const MOST_GROUPS = 50;

const measures = { ...measuresView, cost_usd: money };

export const getUsageTool = tool({
  name: 'get_usage',
  title: 'Read usage and cost',
  description:
    'Sums of calls, tokens and cost in a period (default: the last 30 days): in total, per interval and per group. At most ' +
    'the 50 most expensive groups.',
  scope: 'usage:read',
  isReader: true,
  input: z.strictObject({
    ...range,
    timezone: timezone.optional().describe("IANA name; default: the organization's"),
    interval: z.enum(INTERVALS).default('none'),
    group_by: z.array(z.enum(ownGroupings)).max(2).refine(isUnique, 'must name each once').default([]),
    ...filters,
    ...workFilters,
  }),
  output: z.strictObject({
    from: z.string(),
    to: z.string(),
    interval: z.string(),
    timezone: z.string(),
    totals: z.strictObject(measures),
    series: z.array(z.strictObject({ start: z.string(), ...measures })),
    series_left_out: z.int().describe('Latest intervals left out: ask for a shorter period'),
    groups: z.array(z.strictObject({ key: z.record(z.string(), z.string().nullable()), ...measures })),
    groups_left_out: z.int(),
  }),
  run: async (ctx, principal, { from, to, timezone: zone, interval, group_by, ...asked }) => {
    const { repository, branch, pull_request, task, ...filter } = asked;
    refuseOtherUser(principal, filter.user_id);
    const organization = await readOrganization(ctx, principal.orgId);
    const works = await dimensionOf(ctx).find(ctx, principal.orgId, {
      repository,
      branch,
      pull_request,
      task,
    });
    const answer = await readUsage(ctx, organization, {
      ...rangeIn(zonesOf(organization, zone, ctx.clock.now()), { from, to }),
      interval,
      timezone: zone,
      groupBy: group_by,
      filter: { ...narrowToReader(principal, filter), works },
    });
    const highest = answer.groups.toSorted((a, b) => b.cost_usd - a.cost_usd).slice(0, MOST_GROUPS);
    const shown = plainAnswer({ ...answer, groups: highest }) as typeof answer;
    const rest = { ...shown, series: [], groups: [] };
    const series = shown.series.slice(0, countThatFits(rest, shown.series));
    const groups = shown.groups.slice(0, countThatFits({ ...rest, series }, shown.groups));
    return {
      ...rest,
      series,
      series_left_out: shown.series.length - series.length,
      groups,
      groups_left_out: answer.groups.length - groups.length,
    };
  },
});

function isUnique(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
