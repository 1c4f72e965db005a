import { z } from 'zod';
import { DIMENSIONS } from '../../../shared/wings/analytics/model.ts';
import { readAnalytics } from '../../../shared/wings/analytics/read-analytics.ts';
import { ownOrganization } from '../../auth/own-organization.ts';
import { route } from '../../basics/route.ts';
import { orgParams } from '../../schemas/params.ts';
import { rangeIn, timeOrDate } from '../../schemas/time.ts';

const count = z.int().min(0);
const sums = {
  active_users: count,
  sessions: count,
  signals: count,
  errors: count,
  tokens_in: count,
  tokens_out: count,
  cost_usd: z.number(),
};
const shown = {
  ...sums,
  median_cost_usd: z.number().nullable().describe('Per active user, blurred; null below 2k users'),
  hidden_weeks: count.describe('Weeks that are not in the sums, because too few were active in them'),
};
const suppressed = { suppressed: z.literal(true) };
const pending = { pending: z.literal(true).describe('Not frozen yet') };
const key = {
  key: z.partialRecord(z.enum(DIMENSIONS), z.union([z.string(), z.int(), z.null()])),
};

export const getOrgAnalytics = route({
  method: 'get',
  path: '/api/v1/org/{orgId}/analytics',
  summary: "Read an organization's analytics, in which no member can be identified",
  description:
    'Whole closed ISO weeks, each frozen a day after its end: until then it is `pending`, and its cells leave it out. ' +
    'Values that fewer than k users share, or that one dominates, are suppressed; see docs/analytics.md for what that promises.',
  tag: 'Usage',
  auth: { kind: 'api-key', scope: 'org:read' },
  params: orgParams,
  query: z.strictObject({
    from: timeOrDate.optional().meta({
      description: "A Monday 00:00 of the organization's timezone. Default: four weeks before `to`",
      documentedAs: { type: 'string', examples: ['2026-01-05T00:00:00.000Z'] },
    }),
    to: timeOrDate.optional().meta({
      description: "A Monday 00:00, exclusive, not in the future. Default: this week's",
      documentedAs: { type: 'string', examples: ['2026-02-02T00:00:00.000Z'] },
    }),
    dimension: z.enum(DIMENSIONS).default('none'),
  }),
  success: {
    status: 200,
    description: 'Totals, totals by week, and cells by value',
    body: z.strictObject({
      from: z.string(),
      to: z.string(),
      dimension: z.enum(DIMENSIONS),
      k: z.int(),
      totals: z.union([z.strictObject(shown), z.strictObject(suppressed), z.strictObject(pending)]),
      trend: z.array(
        z.union([
          z.strictObject({ start: z.string(), ...sums }),
          z.strictObject({ start: z.string(), ...suppressed }),
          z.strictObject({ start: z.string(), ...pending }),
        ]),
      ),
      cells: z.array(
        z.union([z.strictObject({ ...key, ...shown }), z.strictObject({ ...key, ...suppressed })]),
      ),
    }),
    list: 'cells',
  },
  errors: ['not_found'],
  handle: async ({ principal, params, query }, ctx) => {
    const organization = await ownOrganization(ctx, principal, params.orgId);
    return readAnalytics(ctx, organization, {
      dimension: query.dimension,
      ...rangeIn(organization.timezones, query),
    });
  },
});
