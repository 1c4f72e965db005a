import { collection } from '../../../../platform/mongo/collection.ts';
import { anything, nullable, object, optional } from '../../../../platform/mongo/fields.ts';
import { userId } from '../../../accounts/organizations/user-id.ts';
import type { BudgetFilter } from './filter.ts';

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

/** The levels that a budget can reach in a window, in this order. */
export const BUDGET_LEVELS = ['warning', 'exceeded'] as const;
export type BudgetLevel = (typeof BUDGET_LEVELS)[number];

/** An amount that is added to a budget's limit for a time. A wing makes it (ADR 0271); the rules of budgets read it. */
export interface BudgetRaise {
  raise_id: string;
  /** The person whose limit it raises, if the budget is a template; else it is everybody's. */
  user_id?: string;
  /** In the unit of the budget's limit. */
  amount: number;
  /** It is in force in [starts_at, ends_at), by the clock of whoever asks. */
  starts_at: Date;
  ends_at: Date;
}

export interface Budget {
  _id: string;
  org_id: string;
  name: string;
  scope: BudgetScope;
  /** An organization, team, project or user, by its id. */
  scope_id: string;
  /** The calls that it counts; null, or absent: all. */
  filter?: BudgetFilter | null;
  /** `user`: a template, which counts each user of its scope apart. Null, or absent: all of them together. */
  per?: BudgetPer | null;
  metric: BudgetMetric;
  /** In the unit that usage is counted in: nano-USD for `cost_usd`, otherwise as given. */
  limit: number;
  window: BudgetWindowKind;
  timezone: string;
  /** The month, 1 to 12, in which a quarter begins. Null, or absent: another window. */
  fiscal_start_month?: number | null;
  /** The days that a rolling window holds, the present one included. Null, or absent: another window. */
  rolling_days?: number | null;
  /** The date, as YYYY-MM-DD, on which a total begins. Null, or absent: another window. */
  starts_on?: string | null;
  enforce: Enforcement;
  on_error: OnError;
  /** The part of the rest that one person may hold by reservations of bound keys, in per cent. */
  reservation_share_pct: number;
  /** Rises with every edit that the levels depend on, so that they may fire again. */
  revision: number;
  /** When its windows were last counted from the rollups. A window that had ended by then raises no event. */
  counted_at: Date;
  /** Those that are in force, and those that have ended within the time in which a closed window may fire. */
  raises?: BudgetRaise[];
  /** The moment from which its windows were counted then. Absent: they were counted whole. */
  counted_from?: Date;
  created_at: Date;
  updated_at: Date;
}

export const budgetRows = collection<Budget>('budgets', {
  about: 'A budget of an organization, a team, a project or a user.',
  fields: {
    _id: String,
    org_id: String,
    name: String,
    scope: String,
    scope_id: userId,
    filter: optional(
      nullable(
        object({ models: optional([String]), providers: optional([String]), adapters: optional([String]) }),
      ),
    ),
    per: optional(nullable(String)),
    metric: String,
    limit: Number,
    window: String,
    timezone: String,
    fiscal_start_month: optional(nullable(Number)),
    rolling_days: optional(nullable(Number)),
    starts_on: optional(nullable(String)),
    enforce: String,
    on_error: String,
    reservation_share_pct: Number,
    revision: Number,
    counted_at: Date,
    raises: optional([
      object({ raise_id: String, user_id: optional(userId), amount: Number, starts_at: Date, ends_at: Date }),
    ]),
    counted_from: optional(Date),
    created_at: Date,
    updated_at: Date,
  },
  indexes: [
    { key: { org_id: 1, created_at: 1, _id: 1 } },
    // For the list of a bound key.
    { key: { org_id: 1, scope: 1, scope_id: 1, created_at: 1, _id: 1 } },
    // For the templates among them.
    { key: { org_id: 1, per: 1 } },
  ],
});

/** The measures of a counter. */
export const COUNTED = [
  'cost_nusd',
  'unpriced_signals',
  'tokens_in',
  'tokens_out',
  'signals',
  'sessions',
  'errors',
] as const;
export type Counts = Record<(typeof COUNTED)[number], number>;

export function noCounts(): Counts {
  return Object.fromEntries(COUNTED.map((measure) => [measure, 0])) as Counts;
}

/** Adds counts in place. */
export function addCounts(counts: Counts, more: Partial<Counts>): void {
  for (const measure of COUNTED) counts[measure] += more[measure] ?? 0;
}

/** The fields of a budget that say when its windows begin and end. */
export type Calendar = Pick<
  Budget,
  'window' | 'timezone' | 'fiscal_start_month' | 'rolling_days' | 'starts_on'
>;

/** Identifies a counter: budgets that differ only in metric and threshold share one. */
export type CounterKey = Pick<Budget, 'scope' | 'scope_id' | 'filter' | 'per'> & Calendar;

/** A counter as one of its budgets knows it. */
export type Counter = CounterKey & Pick<Budget, 'counted_from'>;

/**
 * The counts of a counter in one calendar window. They are spread over counter shards, so that processes do not write the
 * same row: a window's usage is the sum of its rows.
 */
export interface BudgetWindow extends Counts {
  /** `windowKey(...)`. */
  _id: string;
  org_id: string;
  /** `counterKey(...)`. */
  counter: string;
  window_start: Date;
  window_end: Date;
}

/** No signal can reach a window any more once it lies this far back (signals are at most 35 days old). */
export const WINDOW_KEPT_DAYS = 40;
const WINDOW_KEPT_S = WINDOW_KEPT_DAYS * 86_400;

export const budgetWindowRows = collection<BudgetWindow>('budget_windows', {
  about: 'What a counter of budgets has counted in one window.',
  fields: {
    _id: String,
    org_id: String,
    counter: userId,
    window_start: Date,
    window_end: Date,
    tokens_in: Number,
    tokens_out: Number,
    cost_nusd: Number,
    sessions: Number,
    signals: Number,
    errors: Number,
    unpriced_signals: Number,
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    // For evaluations, and for the retention.
    { key: { org_id: 1, window_end: 1 } },
    // For recounts.
    { key: { org_id: 1, counter: 1 } },
  ],
});

/** The counts of one person in one window of a template's counter: like the rows of other windows, spread over counter shards. */
export interface PersonWindow extends BudgetWindow {
  /** `personRowKey(...)`. */
  _id: string;
  /** The user, by the id that signals name. */
  person: string;
}

export const personWindowRows = collection<PersonWindow>('person_windows', {
  about: 'What a counter has counted of one person in one window.',
  fields: {
    _id: String,
    person: userId,
    org_id: String,
    counter: userId,
    window_start: Date,
    window_end: Date,
    tokens_in: Number,
    tokens_out: Number,
    cost_nusd: Number,
    sessions: Number,
    signals: Number,
    errors: Number,
    unpriced_signals: Number,
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    // For evaluations of everybody, for the first read of a process, and for the retention.
    { key: { org_id: 1, window_end: 1 } },
    // For the people of one window.
    { key: { org_id: 1, counter: 1, window_start: 1 } },
    // For recounts, and for the windows of one person.
    { key: { org_id: 1, counter: 1, person: 1 } },
  ],
});

/** An exception from a template for one person. */
export interface PersonOverride {
  /** `overrideKey(...)`. */
  _id: string;
  org_id: string;
  budget_id: string;
  user_id: string;
  /** In the unit of the budget's limit; null: the template does not count for this person. */
  limit: number | null;
}

export const personOverrideRows = collection<PersonOverride>('budget_people', {
  about: 'An exception of one person from a budget for each person.',
  fields: {
    _id: String,
    org_id: String,
    budget_id: String,
    user_id: userId,
    limit: nullable(Number),
  },
  indexes: [{ key: { org_id: 1 } }, { key: { budget_id: 1 } }],
});

/** The counts of a counter in one month that is over, folded from its counter shards (`fold-months.ts`). It stays. */
export type BudgetMonth = BudgetWindow;

export const budgetMonthRows = collection<BudgetMonth>('budget_months', {
  about: 'What a counter has counted in a month that is over.',
  fields: {
    _id: String,
    org_id: String,
    counter: userId,
    window_start: Date,
    window_end: Date,
    tokens_in: Number,
    tokens_out: Number,
    cost_nusd: Number,
    sessions: Number,
    signals: Number,
    errors: Number,
    unpriced_signals: Number,
  },
  indexes: [{ key: { org_id: 1, counter: 1 } }],
});

/** A level that a budget has reached: once per budget, window, level and revision, and once more after each reversal. */
export interface BudgetFiring {
  /** `firingKey(...)`. */
  _id: string;
  org_id: string;
  budget_id: string;
  /** The person whose window it is, if the budget is a template. */
  user_id?: string;
  revision: number;
  level: BudgetLevel;
  window_start: Date;
  window_end: Date;
  /**
   * The event, which is stored if a webhook subscribed to it then. Null: a closed window had reached the level before this
   * revision began or a member joined, which raises no event.
   */
  event_id: string | null;
  fired_at: Date;
  /** The raises that were in force: the level is of the limit with them. Absent without any. */
  raised?: number;
  /** True: an earlier window of a rolling budget fired, and no midnight since then brought usage below the level. */
  is_carried?: boolean;
  /** When voided signals took the window below the level. */
  reversed_at?: Date;
  /** How often the level was reversed; only in the first firing. */
  reversals?: number;
}

export const budgetFiringRows = collection<BudgetFiring>('budget_firings', {
  about: 'A level that a budget has reached in a window.',
  fields: {
    _id: String,
    org_id: String,
    budget_id: String,
    user_id: optional(userId),
    revision: Number,
    level: String,
    window_start: Date,
    window_end: Date,
    event_id: nullable(String),
    fired_at: Date,
    raised: optional(Number),
    is_carried: optional(Boolean),
    reversed_at: optional(Date),
    reversals: optional(Number),
  },
  indexes: [
    { key: { budget_id: 1, fired_at: 1, _id: 1 } },
    { key: { budget_id: 1, user_id: 1, fired_at: 1, _id: 1 } },
    { key: { window_end: 1 }, expireAfterSeconds: WINDOW_KEPT_S },
  ],
});

/** An alert that was sent: once per webhook, budget, window and per cent, whatever the revision. */
export interface BudgetAlert {
  /** Derived from these four. */
  _id: string;
  org_id: string;
  webhook_id: string;
  budget_id: string;
  window_start: Date;
  window_end: Date;
  /** The per cent, or that it was a forecast. */
  about: number | 'forecast';
  /**
   * Null: an earlier window of a rolling budget was told of, and no midnight since then ended that; or a closed window had reached
   * it before a person's threshold changed.
   */
  event_id: string | null;
  sent_at: Date;
}

export const budgetAlertRows = collection<BudgetAlert>('budget_alerts', {
  about: 'An alert of a budget that was sent to a webhook.',
  fields: {
    _id: String,
    org_id: String,
    webhook_id: String,
    budget_id: String,
    window_start: Date,
    window_end: Date,
    about: anything,
    event_id: nullable(String),
    sent_at: Date,
  },
  indexes: [{ key: { budget_id: 1 } }, { key: { window_end: 1 }, expireAfterSeconds: WINDOW_KEPT_S }],
});

/** When an organization's budgets were last evaluated, which happens to all together. */
export interface BudgetEvaluation {
  /** The organization. */
  _id: string;
  evaluated_at: Date;
  /** Rises with each evaluation and each void, so that two of them at one time conflict. */
  touches?: number;
  /** The version of the rules that every person of the templates was evaluated by. */
  version?: number;
  /** The windows of people that were evaluated, as a position in their log (`people-log.ts`). */
  logged?: readonly number[];
  /** When everybody is evaluated again, because somebody's forecast may pass a limit then; null: never. */
  forecast_at?: Date | null;
}

export const budgetEvaluationRows = collection<BudgetEvaluation>('budget_evaluations', {
  about: 'When the budgets of an organization were last evaluated.',
  fields: {
    _id: String,
    evaluated_at: Date,
    touches: optional(Number),
    version: optional(Number),
    logged: optional([Number]),
    forecast_at: optional(nullable(Date)),
  },
});
