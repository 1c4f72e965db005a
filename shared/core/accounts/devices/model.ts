import { collection } from '../../../platform/mongo/collection.ts';
import { anything, erased, mapOf, nullable, optional } from '../../../platform/mongo/fields.ts';

/** A machine linked to an account. Its token is a row of the credits (`deviceTokenRows`). */
export interface Device {
  /** The device id again: rows are found by `(account_id, device_id)`, so that a foreign one is not found. */
  _id: string;
  account_id: string;
  org_id: string;
  device_id: string;
  name: string | null;
  /** Public JWK as the device sent it. Never answered. */
  public_key: Record<string, unknown> | null;
  status: 'active' | 'revoked';
  created_at: Date;
  revoked_at: Date | null;
}

export const deviceRows = collection<Device>('devices', {
  about: 'A machine that is linked to a member’s account.',
  fields: {
    _id: String,
    account_id: String,
    org_id: String,
    device_id: String,
    name: nullable(erased(String)),
    public_key: nullable(erased(mapOf(anything))),
    status: String,
    created_at: Date,
    revoked_at: nullable(Date),
  },
  indexes: [{ key: { account_id: 1, device_id: 1 }, unique: true }],
});

/** A linking that is under way (RFC 8628). Its device code is kept as a keyed hash. */
export interface DeviceGrant {
  /** Keyed hash of the device code. */
  _id: string;
  user_code: string;
  /** The id of the device once it is linked. */
  device_id: string;
  name: string | null;
  public_key: Record<string, unknown> | null;
  status: 'pending' | 'approved' | 'denied' | 'redeemed';
  /** The poll that gets the token. */
  redeemed_by?: string;
  /** The account that approved or denied it. */
  account_id: string | null;
  interval_s: number;
  last_polled_at: Date | null;
  created_at: Date;
  expires_at: Date;
}

export const deviceGrantRows = collection<DeviceGrant>('device_grants', {
  about: 'A linking that is under way (RFC 8628), until it is redeemed or over.',
  fields: {
    _id: String,
    user_code: String,
    device_id: String,
    name: nullable(erased(String)),
    public_key: nullable(erased(mapOf(anything))),
    status: String,
    redeemed_by: optional(String),
    account_id: nullable(String),
    interval_s: Number,
    last_polled_at: nullable(Date),
    created_at: Date,
    expires_at: Date,
  },
  indexes: [
    { key: { user_code: 1 }, unique: true },
    { key: { device_id: 1 }, unique: true },
    // An hour longer than it is valid, so that a late device learns that its code has expired.
    { key: { expires_at: 1 }, expireAfterSeconds: 3_600 },
  ],
});
