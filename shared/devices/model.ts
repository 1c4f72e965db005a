import { collection } from '../platform/mongo/collection.ts';

/** A machine linked to an account. What it spends with is a row of the credits (`deviceTokenRows`). */
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
  /** 0..19: the seat that it took; free again once it is revoked. */
  seat: number;
  created_at: Date;
  revoked_at: Date | null;
}

export const deviceRows = collection<Device>('devices', {
  indexes: [{ key: { account_id: 1, device_id: 1 }, unique: true }],
});

/**
 * A seat: an active device of an account. Twenty ids and no more, so that the limit holds whatever runs at once. Rows of
 * their own, because a unique index of the embedded store lets go of a key only when the row goes (docs/stores.md).
 */
export interface DeviceSeat {
  /** `deviceSeatId` */
  _id: string;
  account_id: string;
  device_id: string;
  seat: number;
}

export const deviceSeatRows = collection<DeviceSeat>('device_seats', {
  indexes: [{ key: { account_id: 1 } }],
});

/** The primary key of a seat. */
export function deviceSeatId(accountId: string, seat: number): string {
  return `${accountId}/${seat}`;
}

/** A linking that is under way (RFC 8628). Its device code is kept as a keyed hash. */
export interface DeviceGrant {
  /** Keyed hash of the device code. */
  _id: string;
  user_code: string;
  /** What the device will be called once it is linked. */
  device_id: string;
  name: string | null;
  public_key: Record<string, unknown> | null;
  status: 'pending' | 'approved' | 'denied' | 'redeemed';
  /** Whoever approved or denied it. */
  account_id: string | null;
  interval_s: number;
  last_polled_at: Date | null;
  created_at: Date;
  expires_at: Date;
}

export const deviceGrantRows = collection<DeviceGrant>('device_grants', {
  indexes: [
    { key: { user_code: 1 }, unique: true },
    { key: { device_id: 1 }, unique: true },
    // An hour longer than it is valid, so that a late device learns that its code has expired.
    { key: { expires_at: 1 }, expireAfterSeconds: 3_600 },
  ],
});
