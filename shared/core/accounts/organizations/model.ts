import type { KPopulation, Role, Tier } from '../../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { erased, nullable, object, only, optional } from '../../../platform/mongo/fields.ts';
import { userId } from './user-id.ts';

interface CoreOrganization {
  _id: string;
  name: string;
  plan: Tier;
  /** Newest last. A change holds from the next local day on. The first entry has no beginning. */
  timezones: { from: Date; timezone: string }[];
  /** Seconds of silence that end a session. */
  session_timeout: number;
  k_anonymity: number;
  /** The people who count towards k in analytics; all others are pooled as one. */
  k_population: KPopulation;
  admin_emails: string[];
  /** Those of `admin_emails` that an operator has named: mail may go there, also where nobody signs in with them. */
  vouched_emails?: string[];
  teams: string[];
  /** Names of branches and tasks are kept and shown as hashes. */
  hash_names?: boolean;
  /** Users who were erased: the free text of their signals is not kept. */
  erased_users?: string[];
  /** Rises with every change of a role and every removal, so that two at one time conflict. */
  roster_changes?: number;
  /** Rules of prices that it has; absent: none ever. */
  price_rules?: number;
  created_at: Date;
}

/** An organization. A wing adds its own fields here, where it declares them. */
export interface Organization extends CoreOrganization {}

export const organizationRows = collection<Organization, keyof CoreOrganization>('organizations', {
  about: 'An organization: its settings, its teams, and the days at which its timezone changed.',
  fields: {
    _id: String,
    name: String,
    plan: String,
    timezones: [object({ from: Date, timezone: String })],
    session_timeout: Number,
    k_anonymity: Number,
    k_population: String,
    admin_emails: [erased(String)],
    vouched_emails: optional([erased(String)]),
    teams: [String],
    hash_names: optional(Boolean),
    erased_users: optional([userId]),
    roster_changes: optional(Number),
    price_rules: optional(Number),
    created_at: Date,
  },
});

export const memberRows = collection('members', {
  about: 'A user of an organization, who is one account of credits and devices.',
  fields: {
    _id: String,
    org_id: String,
    user_id: userId,
    /** Null once the member was removed: the ids stay, the person's data go. */
    email: nullable(erased(String)),
    /** The person has signed in with this e-mail, or an operator has named it. Mail goes to no other address. */
    email_confirmed: optional(only<true>(Boolean)),
    /** When the person ended the mails of the organization: none goes there until the person asks for them again. */
    mails_ended_at: optional(Date),
    name: nullable(erased(String)),
    role: only<Role>(String),
    teams: [String],
    /** Identity-provider subject; unique together, so a person belongs to one organization. */
    idp: optional(object({ iss: String, sub: erased(String) })),
    /** The account that added the member; absent when an operator did. */
    invited_by: optional(userId),
    /** When the invited person said no: until an admin renews the invitation nobody can join by it. */
    declined_at: optional(Date),
    /** Rises with each device and key that the member makes (`touchMember`). */
    touches: optional(Number),
    created_at: Date,
    removed_at: nullable(Date),
  },
  indexes: [
    // For a first sign-in.
    { key: { email: 1 } },
    { key: { org_id: 1, user_id: 1 }, unique: true },
    {
      key: { 'idp.iss': 1, 'idp.sub': 1 },
      unique: true,
      partialFilterExpression: { 'idp.sub': { $exists: true } },
    },
  ],
});

export interface Member extends RowOf<typeof memberRows> {}
