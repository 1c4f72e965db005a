import { userId } from '../../core/accounts/organizations/user-id.ts';
import type { Budget, BudgetMetric, BudgetScope } from '../../core/limits/budgets/rules/model.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { collection, type RowOf } from '../../platform/mongo/collection.ts';
import { erased, nullable, only, optional } from '../../platform/mongo/fields.ts';
import type { RetentionRule } from '../../platform/mongo/retention.ts';

export const RAISE_STATES = [
  'pending',
  'approved',
  'denied',
  'withdrawn',
  'expired',
  'ended',
  'revoked',
] as const;
export type RaiseState = (typeof RAISE_STATES)[number];

export const raiseRows = collection('raises', {
  about: 'A request for more of a budget, and its answer.',
  fields: {
    _id: String,
    org_id: String,
    user_id: userId,
    budget_id: String,
    /** The budget as it was when the raise was asked for, of a template the person's own. */
    budget_name: String,
    scope: only<BudgetScope>(String),
    scope_id: userId,
    metric: only<BudgetMetric>(String),
    /** In the unit of the budget's limit, as `granted` is. */
    amount: Number,
    /** Seconds from the answer on; null: to the end of the window. */
    duration_s: nullable(Number),
    note: nullable(erased(String)),
    /** The admin's word to the person. */
    answer_note: nullable(erased(String)),
    notes_until: Date,
    /** As it was last written: `stateAt` is the state at a moment. */
    state: only<RaiseState>(String),
    /** `pendingKey(...)` while it is pending, so that there is one per person and budget. */
    pending_for: optional(String),
    created_at: Date,
    expires_at: Date,
    answered_at: nullable(Date),
    /** The account of the admin who answered last. */
    answered_by: nullable(userId),
    granted: nullable(Number),
    granted_s: nullable(Number),
    ends_at: nullable(Date),
  },
  indexes: [
    // One per list filter.
    { key: { org_id: 1, created_at: 1, _id: 1 } },
    { key: { org_id: 1, user_id: 1, created_at: 1, _id: 1 } },
    { key: { org_id: 1, state: 1, created_at: 1, _id: 1 } },
    {
      key: { pending_for: 1 },
      unique: true,
      partialFilterExpression: { pending_for: { $exists: true } },
    },
    { key: { notes_until: 1 } },
  ],
});

/** A request for more of a budget. Approved, it adds to the budget's limit until it ends. */
export interface Raise extends RowOf<typeof raiseRows> {}

export function pendingKey({ budget_id, user_id }: Pick<Raise, 'budget_id' | 'user_id'>): string {
  return `${budget_id}/${user_id}`;
}

/** The state of a raise at a moment (epoch ms), whether or not a worker has written it yet. Pure. */
export function stateAt({ state, expires_at, ends_at }: Raise, nowMs: number): RaiseState {
  if (state === 'pending' && expires_at.getTime() <= nowMs) return 'expired';
  if (state === 'approved' && ends_at !== null && ends_at.getTime() <= nowMs) return 'ended';
  return state;
}

/** The scope that a raise of a budget adds to: of a template that of the person. Pure. */
export function raisedScope(
  { per, scope, scope_id }: Budget,
  userId: string,
): Pick<Raise, 'scope' | 'scope_id'> {
  return per ? { scope: 'user', scope_id: userId } : { scope, scope_id };
}

/** Notes go 90 days after the answer. The raise itself stays. */
export const raiseRetention: RetentionRule = {
  kind: 'raise_notes',
  collectionName: raiseRows.collectionName,
  kept: 'the notes 90 days after the answer, the rest for ever',
  isPerOrganization: false,
  purge: async (ctx, nowMs) => {
    const old = { notes_until: { $lt: dateAt(nowMs), $gt: dateAt(0) } };
    const erased = { note: null, answer_note: null, notes_until: dateAt(0) };
    return (await raiseRows(ctx).updateMany(old, { $set: erased })).modifiedCount;
  },
};
