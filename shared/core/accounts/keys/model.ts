import { KEY_KEPT_DAYS, type Scope } from '../../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { erased, nullable, object, only, optional } from '../../../platform/mongo/fields.ts';
import { daysBefore, retentionRule } from '../../../platform/mongo/retention.ts';
import { userId } from '../organizations/user-id.ts';

/**
 * The maker of a key, a webhook or a thing like them: a person by user id, an API key by its id, or the person who made that key together with
 * it. Both null: an operator.
 */
export interface Maker {
  user_id: string | null;
  key_id: string | null;
}

export const makerField = object({ user_id: nullable(userId), key_id: nullable(String) });

/** The filter of the rows that a person made. */
export function madeBy({ orgId, userId: id }: { orgId: string; userId: string }) {
  return { org_id: orgId, 'made_by.user_id': id };
}

/** A maker as one word: the user id, else the key's id, else `operator`. */
export function nameMaker({ user_id, key_id }: Maker): string {
  return user_id ?? key_id ?? 'operator';
}

/** When a key ends by itself: when it expires or, once it was rotated, with its grace. Null: never. */
export function endOfKey({ expires_at, retires_at }: ApiKey): Date | null {
  if (!expires_at || !retires_at) return retires_at ?? expires_at;
  return retires_at < expires_at ? retires_at : expires_at;
}

/** True when a key is neither revoked nor over at `nowMs` (epoch). */
export function isLive(key: ApiKey, nowMs: number): boolean {
  const end = endOfKey(key);
  return key.revoked_at === null && (!end || end.getTime() > nowMs);
}

export const apiKeyRows = collection('api_keys', {
  about: 'An API key: its keyed hash, never the key.',
  fields: {
    /** The key id inside the key. */
    _id: String,
    org_id: String,
    /** HMAC-SHA256 of the whole key with the pepper, hex. */
    hmac: String,
    name: erased(String),
    scopes: only<Scope[]>([String]),
    /** A bound key sees and reports only this user. */
    user_id: nullable(userId),
    project_id: nullable(String),
    /** The person or key that saw the key when it was made. */
    made_by: only<Maker>(makerField),
    created_at: Date,
    expires_at: nullable(Date),
    /** The end of the grace of a key that was rotated. */
    retires_at: optional(Date),
    revoked_at: nullable(Date),
    last_used_at: nullable(Date),
    /** Rises with each webhook that the key makes (`confirmActor`). */
    touches: optional(Number),
  },
  indexes: [
    { key: { org_id: 1, created_at: 1, _id: 1 } },
    { key: { org_id: 1, user_id: 1, created_at: 1, _id: 1 } },
  ],
});

export interface ApiKey extends RowOf<typeof apiKeyRows> {}

/** No index: the keys of all organizations are few. */
export const keyRetention = retentionRule('api-keys', apiKeyRows, {
  kept: `${KEY_KEPT_DAYS} days after it was revoked or expired`,
  old: (_config, nowMs) => {
    const before = { $lt: daysBefore(nowMs, KEY_KEPT_DAYS) };
    return {
      filter: { $or: [{ revoked_at: before }, { expires_at: before }, { retires_at: before }] },
      ageField: 'created_at',
    };
  },
});
