import { userId } from '../../core/accounts/organizations/user-id.ts';
import type { Draft } from '../../core/calls/signals/check-signal.ts';
import { draftFields, nameField, placeField } from '../../core/calls/signals/model.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../platform/basics/contract.ts';
import { derivedId } from '../../platform/basics/ids.ts';
import { collection, type RowOf } from '../../platform/mongo/collection.ts';
import { nullable, object, only, optional } from '../../platform/mongo/fields.ts';
import { retentionRule } from '../../platform/mongo/retention.ts';
import type { HoldAbove } from './settings.ts';

export const HELD_STATES = ['held', 'released', 'discarded'] as const;
export type HeldState = (typeof HELD_STATES)[number];

export const HELD_LIMITS = ['tokens', 'cost_usd'] as const;
export type HeldLimit = (typeof HELD_LIMITS)[number];

export const heldRows = collection('held_signals', {
  about: 'A signal above a limit of its organization, until an admin decides.',
  fields: {
    /** `heldKey(...)`: derived from the signal's own key, so that a repeat is the same row. */
    _id: String,
    org_id: String,
    user_id: userId,
    adapter: String,
    /** The time of the signal: the row goes once no signal of that age is taken any more. */
    ts: Date,
    signal: only<Draft>(
      object({
        ...draftFields,
        parts: optional(
          object({
            own: [String],
            place: optional(placeField),
            task: optional(nameField),
          }),
        ),
        settles_own: optional(Boolean),
      }),
    ),
    above: only<HeldLimit[]>([String]),
    /** The limits at that time. */
    hold_above: only<HoldAbove>(object({ tokens: nullable(Number), cost_usd: nullable(Number) })),
    state: only<HeldState>(String),
    held_at: Date,
    /** The decision: when, by which account, key or process, and the session of a released signal. */
    decided_at: nullable(Date),
    decided_by: nullable(userId),
    session_id: nullable(String),
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    // One per list filter: a page reads a bounded range of one of them.
    { key: { org_id: 1, state: 1, held_at: 1, _id: 1 } },
    { key: { org_id: 1, state: 1, user_id: 1, held_at: 1, _id: 1 } },
    { key: { org_id: 1, state: 1, adapter: 1, held_at: 1, _id: 1 } },
    { key: { ts: 1 } },
  ],
});

/** A signal above a limit of its organization. Nothing counts it until an admin releases it. */
export interface HeldSignal extends RowOf<typeof heldRows> {}

export function heldKey({ _id }: Pick<Draft, '_id'>): string {
  return derivedId('hld', _id);
}

/** A held signal goes when it is too old to be recorded. A repeat is refused from then on. */
export const heldRetention = retentionRule('held_signals', heldRows, {
  kept: '35 days after `ts`',
  old: (_config, nowMs) => ({
    filter: { ts: { $lt: dateAt(nowMs - SIGNAL_AGE_MS.behind) } },
    ageField: 'ts',
  }),
});
