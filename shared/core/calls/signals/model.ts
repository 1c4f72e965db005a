import { dateAt } from '../../../platform/basics/clock.ts';
import { hashedKey } from '../../../platform/basics/ids.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import {
  erased,
  hashed,
  kept,
  mapOf,
  nullable,
  object,
  only,
  optional,
} from '../../../platform/mongo/fields.ts';
import { keptForDays } from '../../../platform/mongo/retention.ts';
import { userId } from '../../accounts/organizations/user-id.ts';
import type { SignalInput } from './input.ts';
import type { Part } from './place.ts';

/** A name of a branch or a task, which an organization may hide. It is not known whose it is. */
export const nameField = object({
  hash: String,
  text: hashed(kept(String, 'a name of the organization’s own work: it may hide such names')),
});

export const placeField = object({ repository: String, branch: optional(nameField) });

export const draftFields = {
  /** `signalKey(...)`: the idempotency key of the signal, so that uniqueness is the primary key's. */
  _id: String,
  org_id: String,
  /** The client's own id. */
  id: String,
  type: only<'call' | 'intervention'>(String),
  ts: Date,
  user_id: userId,
  project_id: String,
  adapter: String,
  model: nullable(String),
  provider: nullable(String),
  /** The provider that it counts under (`countedProvider`). Signals of earlier versions have none. */
  price_provider: optional(String),
  tokens_in: Number,
  tokens_out: Number,
  cache_read_tokens: Number,
  cache_write_tokens: Number,
  service_tier: optional(String),
  cache_write_1h_tokens: optional(Number),
  tool_uses: optional(mapOf(Number)),
  region: optional(String),
  output_image_tokens: optional(Number),
  output_audio_tokens: optional(Number),
  /** Integer nano-USD; null when no price is known. */
  cost_nusd: nullable(Number),
  cost_source: only<'reported' | 'computed' | 'unknown' | 'rule'>(String),
  /** The rule that gave it its price, with the name that the rule had then. */
  price_rule: optional(object({ id: String, name: String })),
  /** The list price of a call that a rule has priced, nano-USD; absent where the list has none. */
  list_nusd: optional(Number),
  /** The reported cost that a rule has replaced, nano-USD: it holds again once no rule replaces it. */
  reported_nusd: optional(Number),
  /** True: it used tokens that nobody counted. */
  uncounted: optional(only<true>(Boolean)),
  error: optional(
    only<{ code: string; message?: string | undefined }>(
      object({ code: String, message: optional(erased(String)) }),
    ),
  ),
  latency_ms: optional(Number),
  tool_name: optional(String),
  metadata: optional(erased(mapOf(String))),
  /** A gate's `verdict`, and the `action` that followed. */
  intervention: optional(
    only<NonNullable<SignalInput['intervention']>>(
      object({
        kind: String,
        verdict: String,
        action: String,
        source: String,
        policy_id: optional(String),
        rule_id: optional(String),
        reason: optional(erased(String)),
        severity: optional(String),
      }),
    ),
  ),
  /** The budget reservation that its cost replaces. */
  reservation_id: optional(String),
  /** `clientSessionKey(...)`; absent without `metadata.client_session_id`. */
  client_session: optional(erased(String)),
  /** The id of the work that it belongs to; absent when it belongs to none. */
  work: optional(String),
  /** The parts of the work that the signal itself said. */
  own: optional(only<Part[]>([String])),
  received_at: Date,
  /** Set once an admin has voided it: it counts nowhere, and its id stays taken. */
  voided: optional(
    object({
      at: Date,
      by: userId,
      reason: kept(String, 'the reason of a correction is part of the accounts'),
    }),
  ),
};

export const signalRows = collection('signals', {
  about: 'One AI call, or one intervention of a gate. Prompts, answers and bodies of tools are never kept.',
  fields: {
    ...draftFields,
    session_id: String,
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    { key: { session_id: 1, org_id: 1, ts: 1, _id: 1 } },
    // A session has few of them, so calls are not in it.
    {
      key: { session_id: 1, org_id: 1, type: 1, ts: 1, _id: 1 },
      partialFilterExpression: { type: 'intervention' },
    },
    { key: { org_id: 1, ts: 1 } },
    // Few calls have no price, and an export counts them before it begins.
    {
      key: { org_id: 1, cost_source: 1, ts: 1 },
      partialFilterExpression: { cost_source: 'unknown' },
    },
    // Few are voided, and exports count them by day.
    {
      key: { org_id: 1, ts: 1, 'voided.at': 1 },
      partialFilterExpression: { 'voided.at': { $gt: dateAt(0) } },
    },
    // For the sums of a price rule.
    { key: { 'price_rule.id': 1, ts: 1 }, partialFilterExpression: { 'price_rule.id': { $gt: '' } } },
    // For contexts and boundaries that come late. `$exists` would not do (docs/stores.md).
    { key: { client_session: 1, ts: 1, _id: 1 }, partialFilterExpression: { client_session: { $gt: '' } } },
    { key: { work: 1, ts: 1, _id: 1 }, partialFilterExpression: { work: { $gt: '' } } },
  ],
});

export interface Signal extends RowOf<typeof signalRows> {}

/** The identity of a signal: 192 bits of SHA-256 over organization, adapter and client id. */
export function signalKey(orgId: string, adapter: string, id: string): string {
  return hashedKey(24, orgId, adapter, id);
}

export const signalRetention = keptForDays('signals', signalRows, 'ts', 'signalRetentionDays', {
  isPerOrganization: true,
});
