import { Schema } from 'mongoose';
import type { Plan } from '../contract.ts';

export const BUCKETS = ['window', 'monthly', 'paid', 'granted'] as const;
/** In the order in which they are spent (interface 4.4). */
export type Bucket = (typeof BUCKETS)[number];

/** Where an account's months begin: day and time of a wall clock; the 31st is the last day of a shorter month. */
export interface Anchor {
  /** 1..31 */
  day: number;
  /** `HH:MM:SS` */
  time: string;
  timezone: string;
}

/** What Redis cannot lose: that there is an account, and what it began with. One member is one account. */
export interface CreditAccount {
  /** The member's id. */
  _id: string;
  org_id: string;
  user_id: string;
  plan: Plan;
  anchor: Anchor;
  created_at: Date;
}

export const creditAccountSchema = new Schema<CreditAccount>({
  _id: { type: String, required: true },
  org_id: { type: String, required: true },
  user_id: { type: String, required: true },
  plan: { type: String, required: true },
  anchor: {
    type: new Schema({ day: Number, time: String, timezone: String }, { _id: false }),
    required: true,
  },
  created_at: { type: Date, required: true },
});
creditAccountSchema.index({ org_id: 1, user_id: 1 });
