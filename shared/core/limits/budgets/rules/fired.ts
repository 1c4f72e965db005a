import { collection, type RowOf } from '../../../../platform/mongo/collection.ts';
import { anything, nullable, only, optional } from '../../../../platform/mongo/fields.ts';
import { userId } from '../../../accounts/organizations/user-id.ts';
import { WINDOW_KEPT_S } from './counted.ts';
import type { BudgetLevel } from './model.ts';

export const budgetFiringRows = collection('budget_firings', {
  about: 'A level that a budget has reached in a window.',
  fields: {
    /** `firingKey(...)`. */
    _id: String,
    org_id: String,
    budget_id: String,
    /** The person whose window it is, if the budget is a template. */
    user_id: optional(userId),
    revision: Number,
    level: only<BudgetLevel>(String),
    window_start: Date,
    window_end: Date,
    /**
     * The event, which is stored if a webhook subscribed to it then. Null: a closed window had reached the level before this
     * revision began or a member joined, which raises no event.
     */
    event_id: nullable(String),
    fired_at: Date,
    /** The raises that were in force: the level is of the limit with them. Absent without any. */
    raised: optional(Number),
    /** True: an earlier window of a rolling budget fired, and no midnight since then brought usage below the level. */
    is_carried: optional(Boolean),
    /** When voided signals took the window below the level. */
    reversed_at: optional(Date),
    /** How often the level was reversed; only in the first firing. */
    reversals: optional(Number),
  },
  indexes: [
    { key: { budget_id: 1, fired_at: 1, _id: 1 } },
    { key: { budget_id: 1, user_id: 1, fired_at: 1, _id: 1 } },
    { key: { window_end: 1 }, expireAfterSeconds: WINDOW_KEPT_S },
  ],
});

/** A level that a budget has reached: once per budget, window, level and revision, and once more after each reversal. */
export interface BudgetFiring extends RowOf<typeof budgetFiringRows> {}

export const budgetAlertRows = collection('budget_alerts', {
  about: 'An alert of a budget that was sent to a webhook.',
  fields: {
    /** Derived from these four. */
    _id: String,
    org_id: String,
    webhook_id: String,
    budget_id: String,
    window_start: Date,
    window_end: Date,
    /** The per cent, or that it was a forecast. */
    about: only<number | 'forecast'>(anything),
    /**
     * Null: an earlier window of a rolling budget was told of, and no midnight since then ended that; or a closed window had reached
     * it before a person's threshold changed.
     */
    event_id: nullable(String),
    sent_at: Date,
  },
  indexes: [{ key: { budget_id: 1 } }, { key: { window_end: 1 }, expireAfterSeconds: WINDOW_KEPT_S }],
});

/** An alert that was sent: once per webhook, budget, window and per cent, whatever the revision. */
export interface BudgetAlert extends RowOf<typeof budgetAlertRows> {}

export const budgetEvaluationRows = collection('budget_evaluations', {
  about: 'When the budgets of an organization were last evaluated.',
  fields: {
    /** The organization. */
    _id: String,
    evaluated_at: Date,
    /** Rises with each evaluation and each void, so that two of them at one time conflict. */
    touches: optional(Number),
    /** The version of the rules that every person of the templates was evaluated by. */
    version: optional(Number),
    /** The newest stamp of people's windows that were evaluated (`counted.ts`), epoch ms. */
    people_ms: optional(Number),
    /** When everybody is evaluated again, because somebody's forecast may pass a limit then; null: never. */
    forecast_at: optional(nullable(Date)),
  },
});

export interface BudgetEvaluation extends RowOf<typeof budgetEvaluationRows> {}
