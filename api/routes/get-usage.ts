import { z } from 'zod';
import { readOrganization, timezoneAt } from '../../shared/organizations/read-organization.ts';
import { narrowToReader } from '../../shared/organizations/reader.ts';
import { readUsage } from '../../shared/usage/read-usage.ts';
import { route } from '../basics/route.ts';
import { epochMsIn } from '../schemas/time.ts';
import {
  groupBy,
  ownGroupings,
  usageFilters,
  usageInterval,
  usageRange,
  usageView,
} from '../schemas/usage-query.ts';

export const getUsage = route({
  method: 'get',
  path: '/api/v1/usage',
  summary: 'Read aggregated usage and cost',
  description:
    'Sums of signals by the time at which they happened, always equal to the signals below. Exact in any timezone ' +
    "for the last 35 days, and for ever by whole days of the organization's own.",
  tag: 'Usage',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  query: z.strictObject({
    ...usageRange,
    interval: usageInterval,
    group_by: groupBy(ownGroupings),
    ...usageFilters,
  }),
  success: { status: 200, description: 'Totals, buckets and groups', body: usageView },
  errors: [],
  handle: async ({ principal, query }, ctx) => {
    const { from, to, interval, timezone, group_by, ...filter } = query;
    const organization = await readOrganization(ctx, principal.orgId);
    const zone = timezone ?? timezoneAt(organization, ctx.clock.now());
    return readUsage(ctx, organization, {
      fromMs: from === undefined ? undefined : epochMsIn(zone, from),
      toMs: to === undefined ? undefined : epochMsIn(zone, to),
      interval,
      timezone,
      groupBy: group_by ?? [],
      filter: narrowToReader(principal, filter),
    });
  },
});
