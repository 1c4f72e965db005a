import { Schema } from 'mongoose';

/** A machine linked to an account. Its token is kept as a keyed hash, from which Redis can be rebuilt. */
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
  /** 0..19: the slot that it took; free again once it is revoked. */
  slot: number;
  token_id: string;
  token_hmac: string;
  created_at: Date;
  revoked_at: Date | null;
  last_seen_at: Date | null;
}

export const deviceSchema = new Schema<Device>({
  _id: { type: String, required: true },
  account_id: { type: String, required: true },
  org_id: { type: String, required: true },
  device_id: { type: String, required: true },
  name: { type: String, default: null },
  public_key: { type: Schema.Types.Mixed, default: null },
  status: { type: String, required: true },
  slot: { type: Number, required: true },
  token_id: { type: String, required: true },
  token_hmac: { type: String, required: true },
  created_at: { type: Date, required: true },
  revoked_at: { type: Date, default: null },
  last_seen_at: { type: Date, default: null },
});
deviceSchema.index({ account_id: 1, device_id: 1 }, { unique: true });

/**
 * An active device of an account. Twenty ids and no more, so that the limit holds whatever runs at once. Rows of their
 * own, because a unique index of the embedded store lets go of a key only when the row goes (docs/stores.md).
 */
export interface DeviceSlot {
  /** `deviceSlotId` */
  _id: string;
  account_id: string;
  device_id: string;
  slot: number;
}

export const deviceSlotSchema = new Schema<DeviceSlot>({
  _id: { type: String, required: true },
  account_id: { type: String, required: true },
  device_id: { type: String, required: true },
  slot: { type: Number, required: true },
});
deviceSlotSchema.index({ account_id: 1 });

export function deviceSlotId(accountId: string, slot: number): string {
  return `${accountId}/${slot}`;
}

/** A linking under way (RFC 8628). Its device code is kept as a keyed hash. */
export interface DeviceGrant {
  /** Keyed hash of the device code. */
  _id: string;
  user_code: string;
  /** What the device will be called once it is linked. */
  device_id: string;
  name: string | null;
  public_key: Record<string, unknown> | null;
  status: 'pending' | 'approved' | 'denied' | 'redeemed';
  account_id: string | null;
  interval_s: number;
  last_polled_at: Date | null;
  created_at: Date;
  expires_at: Date;
}

export const deviceGrantSchema = new Schema<DeviceGrant>({
  _id: { type: String, required: true },
  user_code: { type: String, required: true },
  device_id: { type: String, required: true },
  name: { type: String, default: null },
  public_key: { type: Schema.Types.Mixed, default: null },
  status: { type: String, required: true },
  account_id: { type: String, default: null },
  interval_s: { type: Number, required: true },
  last_polled_at: { type: Date, default: null },
  created_at: { type: Date, required: true },
  expires_at: { type: Date, required: true },
});
deviceGrantSchema.index({ user_code: 1 }, { unique: true });
// An hour longer than it is valid, so that a late device learns that its code has expired.
deviceGrantSchema.index({ expires_at: 1 }, { expireAfterSeconds: 3_600 });
