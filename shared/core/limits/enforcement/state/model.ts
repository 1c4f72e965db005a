import { collection } from '../../../../platform/mongo/collection.ts';
import { optional } from '../../../../platform/mongo/fields.ts';
import { userId } from '../../../accounts/organizations/user-id.ts';

/** A reservation whose real cost a signal has recorded, in the signal's transaction. Deleted once Redis knows. */
export interface Settlement {
  /** `settlementKey(...)`. */
  _id: string;
  org_id: string;
  reservation_id: string;
  /** The user whose reservation alone this settles, as `nameOfUser` has it. Absent: anybody's. */
  user?: string;
  settled_at: Date;
}

/** Longer than any reservation lives. */
const SETTLEMENT_KEPT_S = 2 * 3_600;

export const settlementRows = collection<Settlement>('settlements', {
  about: 'A reservation whose real cost is known, until Redis knows it too.',
  fields: {
    _id: String,
    org_id: String,
    reservation_id: String,
    user: optional(userId),
    settled_at: Date,
  },
  indexes: [{ key: { org_id: 1 } }, { key: { settled_at: 1 }, expireAfterSeconds: SETTLEMENT_KEPT_S }],
});

/** One settlement per reservation and user, however many signals name it. */
export function settlementKey(orgId: string, reservationId: string, user: string | undefined): string {
  return `${orgId}/${reservationId}${user === undefined ? '' : `/${user}`}`;
}

/** The last known state of the reservations in Redis, by which a Redis that has lost some is recognized. */
export interface ReservationState {
  /** The organization. */
  _id: string;
  /** The identity of the data that its reservations were opened for last: no other data may take any. */
  epoch: string;
  /** How often reservations had been made or forgotten. */
  seq: number;
  /**
   * The open ones: "end key amount" by budget, in epoch ms of Redis and nano-USD. One text, because it is written
   * often. More than a hundred are summed by key, with the end of the last.
   */
  held: string;
}

export const reservationStateRows = collection<ReservationState>('reservation_marks', {
  about: 'The last known state of the reservations in Redis.',
  fields: {
    _id: String,
    epoch: String,
    seq: Number,
    held: String,
  },
});

/** The ways in which somebody asks before a call. */
export type AskWay = 'check' | 'reserve' | 'hook' | 'gate';

/** The moments at which anybody last asked about a call of an organization, by each way. */
export interface Asked extends Partial<Record<AskWay, Date>> {
  /** The organization. */
  _id: string;
}

export const askedRows = collection<Asked>('budget_asks', {
  about: 'When anybody last asked a budget before a call, by way.',
  fields: {
    _id: String,
    check: optional(Date),
    reserve: optional(Date),
    hook: optional(Date),
    gate: optional(Date),
  },
});
