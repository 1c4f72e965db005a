import { z } from 'zod';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { measuresView, type Sums } from '../../../core/calls/usage/measures.ts';
import { usd4 } from '../../../core/pricing/money.ts';
import { REPORT_OUTCOMES } from '../pull-requests/decide.ts';
import type { PullRequest } from '../pull-requests/model.ts';
import { pullRequestView, viewPullRequest } from '../pull-requests/view.ts';
import { sumUp } from './read-costs.ts';
import type { SessionSums } from './sum-sessions.ts';
import { totalOf, type WorkSums } from './sum-works.ts';

const { signals, errors, tokens_in, tokens_out, cost_usd, unpriced_signals } = measuresView;
const sumsView = { signals, errors, tokens_in, tokens_out, cost_usd, unpriced_signals };

const costsView = {
  ...sumsView,
  people: z
    .int()
    .min(0)
    .meta({ examples: [2] })
    .describe('Different users of its calls'),
  first_day: z
    .string()
    .nullable()
    .meta({ examples: ['2026-01-10'] })
    .describe("The date of its first call in the organization's timezone; null without one"),
  last_day: z
    .string()
    .nullable()
    .meta({ examples: ['2026-01-15'] })
    .describe('The date of its last call, likewise'),
  owner: z
    .strictObject({ user_id: z.string(), cost_usd: z.number() })
    .nullable()
    .describe(
      'The user who has most of its cost; null where it cost nothing, and for a key that is bound to a user, which sees no other one',
    ),
  top_session: z
    .strictObject({ id: z.string(), user_id: z.string(), cost_usd: z.number() })
    .nullable()
    .describe(
      'Its most expensive session, with the cost of the calls on it; null where it cost nothing, where some calls are no longer ' +
        'kept, and where the page has more than 50,000 calls before it',
    ),
};

/** The costs of calls that belong together, as a pull request and a branch show them. */
export const workCostsView = z.strictObject(costsView);

export const costedPullRequestView = pullRequestView.extend(costsView);
export type CostedPullRequest = z.output<typeof costedPullRequestView>;

/** The answer to a report. A key that may not read usage gets no more than its id and its outcome. */
export const reportedPullRequestView = costedPullRequestView.partial().extend({
  id: pullRequestView.shape.id,
  outcome: z
    .enum(REPORT_OUTCOMES)
    .meta({ examples: ['applied'] })
    .describe(
      '`repeated`: it was known; `stale`: a newer report is known, so the pull request shows that one',
    ),
});

export function viewSumsOf(sums: Sums) {
  return {
    signals: sums.signals,
    errors: sums.errors,
    tokens_in: sums.tokens_in,
    tokens_out: sums.tokens_out,
    cost_usd: usd4(sums.cost_nusd),
    unpriced_signals: sums.unpriced_signals,
  };
}

/** The sums of works and the sessions that they consist of, where these are known. */
export interface KnownCosts {
  rows: readonly WorkSums[];
  sessions: readonly SessionSums[] | undefined;
}

/** Costs as a reader sees them: one user's are that user's part, so nobody is named as their owner. */
export function viewCosts(
  organization: Pick<Organization, 'timezones'>,
  userId: string | null,
  { rows, sessions: [top] = [] }: KnownCosts,
): z.output<typeof workCostsView> {
  const { sums, ...rest } = sumUp(organization, rows);
  return {
    ...viewSumsOf(sums),
    ...rest,
    owner: userId === null ? ownerOf(rows) : null,
    top_session:
      top && top.sums.cost_nusd > 0n
        ? { id: top.session_id, user_id: top.user_id, cost_usd: usd4(top.sums.cost_nusd) }
        : null,
  };
}

function ownerOf(rows: readonly WorkSums[]) {
  const byUser = Map.groupBy(rows, ({ user_id = '' }) => user_id);
  const costs = [...byUser].map(([user_id, own]) => ({ user_id, nusd: totalOf(own).cost_nusd }));
  const [most] = costs.toSorted((a, b) => Number(b.nusd - a.nusd) || (a.user_id < b.user_id ? -1 : 1));
  return most && most.nusd > 0n ? { user_id: most.user_id, cost_usd: usd4(most.nusd) } : null;
}

export function viewCosted(
  organization: Pick<Organization, 'timezones'>,
  userId: string | null,
  row: PullRequest,
  costs: KnownCosts,
): CostedPullRequest {
  return { ...viewPullRequest(row), ...viewCosts(organization, userId, costs) };
}

function table<Key extends string>(name: Key, key: z.ZodType) {
  const row = z.strictObject({ [name]: key, ...sumsView } as Record<Key, z.ZodType> & typeof sumsView);
  return z.strictObject({
    data: z.array(row).describe('At most 100'),
    others: z
      .strictObject(sumsView)
      .nullable()
      .describe('The sum of all that are not shown; null where there are none'),
  });
}

const callTime = z
  .string()
  .nullable()
  .meta({ examples: ['2026-01-15T09:30:00.000Z'] })
  .describe('Among the calls that are still kept; null where there are none');

/** One pull request with its costs by what they are for. Each table sums to the whole. */
export const pullRequestDetailView = costedPullRequestView.extend({
  first_call_at: callTime,
  last_call_at: callTime,
  by_session: z
    .strictObject({
      data: z
        .array(
          z.strictObject({
            session_id: z.string(),
            user_id: z.string(),
            started_at: z
              .string()
              .nullable()
              .describe('When the session began; null where it is no longer kept'),
            ...sumsView,
          }),
        )
        .describe('At most 100'),
      others: z
        .strictObject(sumsView)
        .nullable()
        .describe('The sum of all that are not shown; null where there are none'),
    })
    .nullable()
    .describe(
      'Its calls by session, most expensive first; null where some are no longer kept, or they are more than 50,000',
    ),
  by_user: table('user_id', z.string()).describe('Most expensive first'),
  by_model: table('model', z.string()).describe('Most expensive first'),
  by_branch: table('branch', z.string().nullable()).describe(
    'By the names that branches had then, most expensive first',
  ),
  by_day: table(
    'day',
    z
      .string()
      .meta({ examples: ['2026-01-15'] })
      .describe('A date in the organization’s timezone'),
  ).describe('Newest first'),
});

export const pullRequestSummaryView = z.strictObject({
  merged: z
    .int()
    .min(0)
    .meta({ examples: [12] })
    .describe('Pull requests that were merged in the range'),
  without_calls: z
    .int()
    .min(0)
    .meta({ examples: [3] })
    .describe('Those of them without a single call'),
  cost_usd: z.number().describe('The cost of all of them'),
  cost_per_merged_usd: z
    .number()
    .nullable()
    .meta({ examples: [1.25] })
    .describe('`cost_usd` by `merged`; null where none was merged'),
  median_usd: z
    .number()
    .nullable()
    .meta({ examples: [0.8] })
    .describe('The cost of the one in the middle, those without calls included; null where none was merged'),
});
