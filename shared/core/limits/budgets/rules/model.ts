import { collection, type RowOf } from '../../../../platform/mongo/collection.ts';
import { nullable, type ObjectOf, object, only, optional } from '../../../../platform/mongo/fields.ts';
import { findOwn } from '../../../../platform/mongo/find-own.ts';
import { userId } from '../../../accounts/organizations/user-id.ts';

export const BUDGET_SCOPES = ['org', 'team', 'project', 'user'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

export const BUDGET_METRICS = [
  'cost_usd',
  'tokens',
  'tokens_in',
  'tokens_out',
  'signals',
  'sessions',
  'errors',
] as const;
export type BudgetMetric = (typeof BUDGET_METRICS)[number];

/** The windows of the calendar that have nothing to set but their timezone. */
export const CALENDAR_WINDOWS = ['hourly', 'daily', 'weekly', 'monthly'] as const;
export type CalendarWindow = (typeof CALENDAR_WINDOWS)[number];

export const BUDGET_WINDOWS = [...CALENDAR_WINDOWS, 'quarterly', 'rolling', 'total'] as const;
export type BudgetWindowKind = (typeof BUDGET_WINDOWS)[number];

/** A budget that counts each user apart (`user`) is a template. */
export const BUDGET_PERS = ['user'] as const;
export type BudgetPer = (typeof BUDGET_PERS)[number];

/** A budget's effect on calls: none (`none`, `soft`), or refusing those that would pass its threshold (`hard`). */
export const ENFORCEMENTS = ['none', 'soft', 'hard'] as const;
export type Enforcement = (typeof ENFORCEMENTS)[number];

/** A hard budget's answer to a check while its amounts cannot be read. */
export const ON_ERROR = ['allow', 'deny'] as const;
export type OnError = (typeof ON_ERROR)[number];

/** A hard budget's answer to a check or a reservation of a call whose model has no price. */
export const UNPRICED = ['allow', 'refuse'] as const;

/** The levels that a budget can reach in a window, in this order. */
export const BUDGET_LEVELS = ['warning', 'exceeded'] as const;
export type BudgetLevel = (typeof BUDGET_LEVELS)[number];

const RAISE = {
  raise_id: String,
  /** The person whose limit it raises, if the budget is a template; else it is everybody's. */
  user_id: optional(userId),
  /** In the unit of the budget's limit. */
  amount: Number,
  /** It is in force in [starts_at, ends_at), by the clock of whoever asks. */
  starts_at: Date,
  ends_at: Date,
};

/** An amount that is added to a budget's limit for a time. A wing makes it (ADR 0271); the rules of budgets read it. */
export interface BudgetRaise extends ObjectOf<typeof RAISE> {}

/** The one who gets a budget's alerts whatever filters say: a member, by mail, or a channel. */
export type BudgetOwner = { user_id: string } | { webhook_id: string };

/** Returns true while no channel and no owner gets alerts of a budget. */
export function isMuted({ muted_until }: Pick<Budget, 'muted_until'>, nowMs: number): boolean {
  return Boolean(muted_until && muted_until.getTime() > nowMs);
}

/** Returns true for a budget that may refuse calls without a price: a hard one of cost. */
export function mayRefuseUnpriced({ enforce, metric }: Pick<Budget, 'enforce' | 'metric'>): boolean {
  return enforce === 'hard' && metric === 'cost_usd';
}

/** Returns true for a budget that refuses calls without a price. */
export function refusesUnpriced({ unpriced, ...budget }: Budget): boolean {
  return unpriced === 'refuse' && mayRefuseUnpriced(budget);
}

export const budgetRows = collection('budgets', {
  about: 'A budget of an organization, a team, a project or a user.',
  fields: {
    _id: String,
    org_id: String,
    name: String,
    scope: only<BudgetScope>(String),
    /** An organization, team, project or user, by its id. */
    scope_id: userId,
    /** The calls that it counts; null, or absent: all. */
    filter: optional(
      nullable(
        object({ models: optional([String]), providers: optional([String]), adapters: optional([String]) }),
      ),
    ),
    /** `user`: a template, which counts each user of its scope apart. Null, or absent: all of them together. */
    per: optional(nullable(only<BudgetPer>(String))),
    metric: only<BudgetMetric>(String),
    /** In the unit that usage is counted in: nano-USD for `cost_usd`, otherwise as given. */
    limit: Number,
    window: only<BudgetWindowKind>(String),
    timezone: String,
    /** The month, 1 to 12, in which a quarter begins. Null, or absent: another window. */
    fiscal_start_month: optional(nullable(Number)),
    /** The days that a rolling window holds, the present one included. Null, or absent: another window. */
    rolling_days: optional(nullable(Number)),
    /** The date, as YYYY-MM-DD, on which a total begins. Null, or absent: another window. */
    starts_on: optional(nullable(String)),
    enforce: only<Enforcement>(String),
    on_error: only<OnError>(String),
    /** Only of a hard budget of cost. Null, or absent: `allow`. */
    unpriced: optional(nullable(only<'refuse'>(String))),
    /** The part of the rest that one person may hold by reservations of bound keys, in per cent. */
    reservation_share_pct: Number,
    /** Rises with every edit that the levels depend on, so that they may fire again. */
    revision: Number,
    /** When its windows were last counted from the rollups. A window that had ended by then raises no event. */
    counted_at: Date,
    /** Those that are in force, and those that have ended within the time in which a closed window may fire. */
    raises: optional([object(RAISE)]),
    /** The moment from which its windows were counted then. Absent: they were counted whole. */
    counted_from: optional(Date),
    /** Null, or absent: nobody. */
    owner: optional(
      nullable(only<BudgetOwner>(object({ user_id: optional(userId), webhook_id: optional(String) }))),
    ),
    /** Until then no channel and no owner gets an alert of it. Null, or absent: it is not muted. */
    muted_until: optional(nullable(Date)),
    created_at: Date,
    updated_at: Date,
  },
  indexes: [
    { key: { org_id: 1, created_at: 1, _id: 1 } },
    // For the list of a bound key.
    { key: { org_id: 1, scope: 1, scope_id: 1, created_at: 1, _id: 1 } },
    // For the templates among them.
    { key: { org_id: 1, per: 1 } },
    // For those that a person owns.
    { key: { org_id: 1, 'owner.user_id': 1 } },
  ],
});

export interface Budget extends RowOf<typeof budgetRows> {}

export const findBudget = findOwn(budgetRows, 'budget');

export const personOverrideRows = collection('budget_people', {
  about: 'An exception of one person from a budget for each person.',
  fields: {
    /** `overrideKey(...)`. */
    _id: String,
    org_id: String,
    budget_id: String,
    user_id: userId,
    /** In the unit of the budget's limit; null: the template does not count for this person. */
    limit: nullable(Number),
  },
  indexes: [{ key: { org_id: 1 } }, { key: { budget_id: 1 } }],
});

export interface PersonOverride extends RowOf<typeof personOverrideRows> {}
