import { z } from 'zod';
import { instant, text, timezone } from '../../../../platform/basics/text.ts';
import { filterInput } from './filter.ts';
import {
  BUDGET_METRICS,
  BUDGET_PERS,
  BUDGET_SCOPES,
  BUDGET_WINDOWS,
  ENFORCEMENTS,
  ON_ERROR,
  UNPRICED,
} from './model.ts';

const fields = {
  name: text(256),
  scope: z.enum(BUDGET_SCOPES).describe('The user, project or team whose usage counts, or the organization'),
  scope_id: text(256).optional().describe('Id of the team, project or user; may be left out for `org`'),
  filter: filterInput
    .nullable()
    .optional()
    .describe('The calls that count: within a list any, between lists all; case is ignored. Null: all calls'),
  per: z
    .enum(BUDGET_PERS)
    .nullable()
    .optional()
    .describe(
      '`user`: a template, which counts each user of the organization or team apart, also one never seen before. Null: it ' +
        'counts all together',
    ),
  metric: z.enum(BUDGET_METRICS),
  threshold: z
    .number()
    .positive()
    .describe('US dollars for `cost_usd`, at most 9,007,199, else a count; at least a billionth'),
  window: z
    .enum(BUDGET_WINDOWS)
    .describe(
      'A calendar interval; weeks begin on Monday. `rolling`: the last days, today included. `total`: from a date on, never reset',
    ),
  fiscal_start_month: z
    .int()
    .min(1)
    .max(12)
    .nullable()
    .optional()
    .describe('Only `quarterly`: quarters begin in this month and in each third after it; 1 by default'),
  rolling_days: z
    .int()
    .min(2)
    .max(31)
    .nullable()
    .optional()
    .describe('Only `rolling`, which needs it: how many days of the timezone it holds, today included'),
  starts_on: z.iso
    .date()
    .nullable()
    .optional()
    .describe('Only `total`: the first day that counts, at most ten years ago; today by default'),
  timezone: timezone.optional().describe("IANA timezone of the window; the organization's by default"),
  enforce: z
    .enum(ENFORCEMENTS)
    .optional()
    .describe(
      '`hard` refuses checks and reservations beyond the threshold; `none` (default) and `soft` never do',
    ),
  on_error: z
    .enum(ON_ERROR)
    .optional()
    .describe('Answer of a `hard` budget to a check while usage cannot be read; `allow` by default'),
  unpriced: z
    .enum(UNPRICED)
    .nullable()
    .optional()
    .describe(
      'Only `hard` and `cost_usd`: its answer to a call whose model has no price, by the list or a price rule; `allow` by default',
    ),
  reservation_share_pct: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'The part of what usage leaves, in per cent, that one person may hold by reservations of bound keys; 25 by default',
    ),
  owner: z
    .union([
      z.strictObject({ user_id: text(256).describe('A member, who gets mails and sees the budget') }),
      z.strictObject({ webhook_id: text(128).describe('A channel') }),
    ])
    .nullable()
    .optional()
    .describe(
      'Gets the alerts of the budget whatever filters say. To name a person needs `usage:read` too. Null: nobody',
    ),
  muted_until: instant
    .nullable()
    .optional()
    .describe(
      'Until then no channel and no owner gets its alerts, nor later; at most a year ahead. Webhooks of the format `json` get all. Null: it is not muted',
    ),
};

/** A budget as posted. Every other field is refused. */
export const budgetInput = z.strictObject(fields);
export type BudgetInput = z.output<typeof budgetInput>;

/** A change: what is left out stays. */
export const budgetChange = z.strictObject(fields).partial();
export type BudgetChange = z.output<typeof budgetChange>;
