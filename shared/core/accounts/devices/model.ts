import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { anything, erased, mapOf, nullable, only, optional } from '../../../platform/mongo/fields.ts';

export const deviceRows = collection('devices', {
  about: 'A machine that is linked to a member’s account.',
  fields: {
    /** The device id again: rows are found by `(account_id, device_id)`, so that a foreign one is not found. */
    _id: String,
    account_id: String,
    org_id: String,
    device_id: String,
    name: nullable(erased(String)),
    /** Public JWK as the device sent it. Never answered. */
    public_key: nullable(erased(mapOf(anything))),
    status: only<'active' | 'revoked'>(String),
    created_at: Date,
    revoked_at: nullable(Date),
  },
  indexes: [{ key: { account_id: 1, device_id: 1 }, unique: true }],
});

/** A machine linked to an account. Its token is a row of the credits (`deviceTokenRows`). */
export interface Device extends RowOf<typeof deviceRows> {}

export const deviceGrantRows = collection('device_grants', {
  about: 'A linking that is under way (RFC 8628), until it is redeemed or over.',
  fields: {
    /** Keyed hash of the device code. */
    _id: String,
    user_code: String,
    device_id: String,
    name: nullable(erased(String)),
    public_key: nullable(erased(mapOf(anything))),
    status: only<'pending' | 'approved' | 'denied' | 'redeemed'>(String),
    /** The poll that gets the token. */
    redeemed_by: optional(String),
    /** The account that approved or denied it. */
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

export interface DeviceGrant extends RowOf<typeof deviceGrantRows> {}
