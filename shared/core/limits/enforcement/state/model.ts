import { collection, type RowOf } from '../../../../platform/mongo/collection.ts';
import { optional } from '../../../../platform/mongo/fields.ts';
import { userId } from '../../../accounts/organizations/user-id.ts';

/** Longer than any reservation lives. */
const SETTLEMENT_KEPT_S = 2 * 3_600;

export const settlementRows = collection('settlements', {
  about: 'A reservation whose real cost is known, until Redis knows it too.',
  fields: {
    /** `settlementKey(...)`. */
    _id: String,
    org_id: String,
    reservation_id: String,
    /** The user whose reservation alone this settles, as `nameOfUser` has it. Absent: anybody's. */
    user: optional(userId),
    settled_at: Date,
  },
  indexes: [{ key: { org_id: 1 } }, { key: { settled_at: 1 }, expireAfterSeconds: SETTLEMENT_KEPT_S }],
});

/** A reservation whose real cost a signal has recorded, in the signal's transaction. Deleted once Redis knows. */
export interface Settlement extends RowOf<typeof settlementRows> {}

/** One settlement per reservation and user, however many signals name it. */
export function settlementKey(orgId: string, reservationId: string, user: string | undefined): string {
  return `${orgId}/${reservationId}${user === undefined ? '' : `/${user}`}`;
}

export const reservationStateRows = collection('reservation_marks', {
  about: 'The last known state of the reservations in Redis.',
  fields: {
    /** The organization. */
    _id: String,
    /** The identity of the data that its reservations were opened for last: no other data may take any. */
    epoch: String,
    /** How often reservations had been made or forgotten. */
    seq: Number,
    /**
     * The open ones: "end key amount" by budget, in epoch ms of Redis and nano-USD. One text, because it is written
     * often. More than a hundred are summed by key, with the end of the last.
     */
    held: String,
  },
});

/** The last known state of the reservations in Redis, by which a Redis that has lost some is recognized. */
export interface ReservationState extends RowOf<typeof reservationStateRows> {}

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
