import type { Scope } from '../platform/basics/contract.ts';
import { collection } from '../platform/mongo/collection.ts';

/** A stored API key: its keyed hash, never the key itself. */
export interface ApiKey {
  /** The key id inside the key. */
  _id: string;
  org_id: string;
  /** HMAC-SHA256 of the whole key with the pepper, hex. */
  hmac: string;
  name: string;
  scopes: Scope[];
  /** A bound key sees and reports only this user. */
  user_id: string | null;
  /** The project of signals that name no project. */
  project_id: string | null;
  created_at: Date;
  expires_at: Date | null;
  /** The end of the grace of a key that was rotated. */
  retires_at?: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

/** When a key ends by itself: when it expires or, once it was rotated, with its grace. Null: never. */
export function endOfKey({ expires_at, retires_at }: ApiKey): Date | null {
  if (!expires_at || !retires_at) return retires_at ?? expires_at;
  return retires_at < expires_at ? retires_at : expires_at;
}

export const apiKeyRows = collection<ApiKey>('api_keys', {
  indexes: [{ key: { org_id: 1, created_at: 1 } }],
});
