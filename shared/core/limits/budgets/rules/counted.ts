import { dateAt } from '../../../../platform/basics/clock.ts';
import { collection, type RowOf } from '../../../../platform/mongo/collection.ts';
import { userId } from '../../../accounts/organizations/user-id.ts';
import type { Budget } from './model.ts';

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

export type Counter = CounterKey & Pick<Budget, 'counted_from'>;

/** No signal can reach a window any more once it lies this far back (signals are at most 35 days old). */
export const WINDOW_KEPT_DAYS = 40;
export const WINDOW_KEPT_S = WINDOW_KEPT_DAYS * 86_400;

const WINDOW_FIELDS = {
  /** `windowKey(...)`. */
  _id: String,
  org_id: String,
  /** `counterKey(...)`. */
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
};

export const budgetWindowRows = collection('budget_windows', {
  about: 'What a counter of budgets has counted in one window.',
  fields: WINDOW_FIELDS,
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    // For evaluations, and for the retention.
    { key: { org_id: 1, window_end: 1 } },
    // For recounts.
    { key: { org_id: 1, counter: 1 } },
  ],
});

/**
 * The counts of a counter in one calendar window. They are spread over counter shards, so that processes do not write the
 * same row: a window's usage is the sum of its rows.
 */
export interface BudgetWindow extends RowOf<typeof budgetWindowRows> {}

export const personWindowRows = collection('person_windows', {
  about: 'What a counter has counted of one person in one window.',
  fields: {
    ...WINDOW_FIELDS,
    /** `personRowKey(...)`. */
    _id: String,
    /** The user, by the id that signals name. */
    person: userId,
    /** When MongoDB wrote the row, by its own clock (`STAMPED`). */
    updated_at: Date,
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    // For evaluations of everybody, for the first read of a process, and for the retention.
    { key: { org_id: 1, window_end: 1 } },
    // For the people of one window.
    { key: { org_id: 1, counter: 1, window_start: 1 } },
    // For recounts, and for the windows of one person.
    { key: { org_id: 1, counter: 1, person: 1 } },
    // For readers of what has changed.
    { key: { org_id: 1, updated_at: 1 } },
  ],
});

/** The counts of one person in one window of a template's counter: like the rows of other windows, spread over counter shards. */
export interface PersonWindow extends RowOf<typeof personWindowRows> {}

/** The part of an update that stamps a row of a person: by the clock of MongoDB, since processes have their own. */
export const STAMPED = { $currentDate: { updated_at: true } } as const;

/**
 * Transactions commit in another order than they stamp their rows, at most 15 s later. Twice as long, so that the clock of a new
 * primary may be behind.
 */
const OVERLAP_MS = 30_000;

/** The rows that may have been committed since a snapshot in which this stamp (epoch ms) was the newest. Pure. */
export function changedSince(newestMs: number) {
  return { updated_at: { $gte: dateAt(newestMs - OVERLAP_MS) } };
}

/** The state of a reader that reads the same rows again and again. */
export interface Seen {
  /** The newest stamp, epoch ms; 0 without any. */
  readonly newestMs: number;
  /** When it was the newest one for the first time, ms of this process (`performance.now`). */
  readonly sinceMs: number;
  /** No row can commit any more with this stamp or an earlier one, and all that did are read. */
  readonly isSettled: boolean;
}

export const NOTHING_SEEN: Seen = { newestMs: 0, sinceMs: 0, isSettled: false };

/** The rows to read after what was seen: once it is settled, only newer ones, so that nobody at work costs nothing. Pure. */
export function changedAfter({ newestMs, isSettled }: Seen) {
  return isSettled ? { updated_at: { $gt: dateAt(newestMs) } } : changedSince(newestMs);
}

/**
 * Returns the state after a read that began at `atMs` of this process. A transaction, and the snapshot of a read, are at most half of
 * `OVERLAP_MS` old each. Pure.
 */
export function seenAfter(
  before: Seen,
  rows: Iterable<Pick<PersonWindow, 'updated_at'>>,
  atMs: number,
): Seen {
  const newestMs = newestOf(rows, before.newestMs);
  if (newestMs > before.newestMs) return { newestMs, sinceMs: atMs, isSettled: false };
  return { ...before, isSettled: before.isSettled || atMs - before.sinceMs >= 2 * OVERLAP_MS };
}

/** The newest stamp of rows and of what was read before them, epoch ms. Pure. */
export function newestOf(rows: Iterable<Pick<PersonWindow, 'updated_at'>>, beforeMs = 0): number {
  let newestMs = beforeMs;
  for (const { updated_at } of rows) newestMs = Math.max(newestMs, updated_at.getTime());
  return newestMs;
}
