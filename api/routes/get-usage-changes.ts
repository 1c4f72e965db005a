import { z } from 'zod';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { CHANGE_SPLITS } from '../../shared/core/calls/usage/changes/explain.ts';
import { route } from '../basics/route.ts';
import { readAskedChanges } from '../schemas/asked-usage.ts';
import { teamFilter } from '../schemas/session-query.ts';
import { timeOrDate } from '../schemas/time.ts';
import { usageFilters, usageRange, workFilters } from '../schemas/usage-query.ts';

const usd = (example: string) =>
  z
    .string()
    .meta({ examples: [example] })
    .describe('US dollars with nine decimals');
const costs = {
  cost_usd: usd('78.980000000'),
  before_cost_usd: usd('46.880000000'),
  difference_usd: usd('32.100000000'),
};
const changesRange = {
  ...usageRange,
  from: timeOrDate.optional().describe('As in usage; default: 7 days before `to`'),
  before_from: timeOrDate
    .optional()
    .describe(
      'The beginning of another period to compare with; default: one as long, which ends where the range begins',
    ),
  before_to: timeOrDate.optional().describe('Its end, exclusive, not after `from`; goes with `before_from`'),
};
const range = { from: z.string(), to: z.string() };

const changesView = z.strictObject({
  ...range,
  before: z.strictObject(range).describe('The period that it is compared with'),
  ...costs,
  splits: z
    .array(
      z.strictObject({
        by: z.enum(CHANGE_SPLITS),
        rows: z.array(
          z.strictObject({
            key: z
              .string()
              .nullable()
              .describe('Null: calls without a name there, or as `rest` and `twice` say'),
            ...costs,
            rest: z.literal(true).optional().describe('All that are not among the 20 that moved most'),
            twice: z
              .literal(true)
              .optional()
              .meta({ examples: [true] })
              .describe('Takes away what is counted twice: somebody in two teams counts in both'),
          }),
        ),
      }),
    )
    .describe(
      'The rows of each split sum to the difference. Without `session` where more than 100,000 calls would be read, or ' +
        'some are no longer kept; without `team` for one user and in the plan free',
    ),
  explained_by: z
    .strictObject({
      by: z.enum(CHANGE_SPLITS),
      keys: z.array(z.string()),
      share: z
        .number()
        .meta({ examples: [0.89] })
        .describe('Their part of the difference, 1 is all of it; more where the others went the other way'),
    })
    .nullable()
    .describe(
      'The fewest rows of one split that explain at least half of the difference. Null: nothing stands out',
    ),
});

export const getUsageChanges = route({
  method: 'get',
  path: '/api/v1/usage/changes',
  summary: 'Read what the cost changed by, and for what',
  description:
    'Compares a range with the period before it by session, pull request, branch, task, person, project, repository, team, ' +
    'model and adapter. Filters, times and rights are those of `/api/v1/usage`.',
  tag: 'Usage',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject({ ...changesRange, ...usageFilters, ...workFilters, team: teamFilter }),
  success: { status: 200, description: 'Both periods and their difference', body: changesView },
  errors: ['plan_required'],
  handle: async ({ principal, query }, ctx) =>
    readAskedChanges(ctx, principal, await readOrganization(ctx, principal.orgId), query),
});
