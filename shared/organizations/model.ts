import { Schema } from 'mongoose';
import type { Plan, Role } from '../contract.ts';

export interface Organization {
  _id: string;
  name: string;
  plan: Plan;
  /** Newest last. A change holds from the next local day on; the first one holds since ever. */
  timezones: { from: Date; timezone: string }[];
  /** Seconds of silence that end a session. */
  session_timeout: number;
  k_anonymity: number;
  admin_emails: string[];
  teams: string[];
  /** Rises with every change of a role and every removal, so that two at one time conflict. */
  roster_changes?: number;
  created_at: Date;
}

export const organizationSchema = new Schema<Organization>({
  _id: { type: String, required: true },
  name: { type: String, required: true },
  plan: { type: String, required: true },
  timezones: [
    { _id: false, from: { type: Date, required: true }, timezone: { type: String, required: true } },
  ],
  session_timeout: { type: Number, required: true },
  k_anonymity: { type: Number, required: true },
  admin_emails: [String],
  teams: [String],
  roster_changes: { type: Number, required: false },
  created_at: { type: Date, required: true },
});

/** A user in an organization. One member is one account of credits and devices. */
export interface Member {
  _id: string;
  org_id: string;
  user_id: string;
  /** Null once the member was removed: ids stay, the person goes. */
  email: string | null;
  name: string | null;
  role: Role;
  teams: string[];
  /** Identity-provider subject; unique together, so a person belongs to one organization. */
  idp?: { iss: string; sub: string };
  /** The account that added the member; absent when an operator did. */
  invited_by?: string;
  /** When the invited person said no: until an admin renews the invitation nobody can join by it. */
  declined_at?: Date;
  created_at: Date;
  removed_at: Date | null;
}

export const memberSchema = new Schema<Member>({
  _id: { type: String, required: true },
  org_id: { type: String, required: true },
  user_id: { type: String, required: true },
  email: { type: String, default: null },
  name: { type: String, default: null },
  role: { type: String, required: true },
  teams: [String],
  idp: { type: new Schema({ iss: String, sub: String }, { _id: false }), required: false },
  invited_by: { type: String, required: false },
  declined_at: { type: Date, required: false },
  created_at: { type: Date, required: true },
  removed_at: { type: Date, default: null },
});
// Whom a first sign-in may be.
memberSchema.index({ email: 1 });
memberSchema.index({ org_id: 1, user_id: 1 }, { unique: true });
memberSchema.index(
  { 'idp.iss': 1, 'idp.sub': 1 },
  { unique: true, partialFilterExpression: { 'idp.sub': { $exists: true } } },
);
