import { Schema } from 'mongoose';
import type { Scope } from '../platform/basics/contract.ts';

/** An API key as it is kept: never the key itself, only its keyed hash. */
export interface ApiKey {
  /** The key id inside the key. */
  _id: string;
  org_id: string;
  /** HMAC-SHA256 of the whole key with the pepper, hex. */
  hmac: string;
  name: string;
  scopes: Scope[];
  /** Bound keys see and report only this user. */
  user_id: string | null;
  /** The project of signals that name none. */
  project_id: string | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

export const apiKeySchema = new Schema<ApiKey>({
  _id: { type: String, required: true },
  org_id: { type: String, required: true },
  hmac: { type: String, required: true },
  name: { type: String, required: true },
  scopes: { type: [String], required: true },
  user_id: { type: String, default: null },
  project_id: { type: String, default: null },
  created_at: { type: Date, required: true },
  expires_at: { type: Date, default: null },
  revoked_at: { type: Date, default: null },
  last_used_at: { type: Date, default: null },
});
apiKeySchema.index({ org_id: 1, created_at: 1 });
