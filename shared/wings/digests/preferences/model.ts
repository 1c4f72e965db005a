import { collection } from '../../../platform/mongo/collection.ts';
import { nullable, object, optional } from '../../../platform/mongo/fields.ts';

export const MAILED_DIGESTS = ['none', 'daily', 'weekly'] as const;
export type MailedDigest = (typeof MAILED_DIGESTS)[number];

/** A notice that a person does not want to see again. */
export interface Dismissal {
  /** The kind, object and occurrence of the notice, as the page that shows it names them. */
  id: string;
  /** The notice comes back then; null: never. */
  until: Date | null;
}

/** Choices of one person, kept for all devices of the person. */
export interface Preferences {
  /** The member's account. */
  _id: string;
  org_id: string;
  digest: MailedDigest;
  /** Oldest first. */
  dismissed: readonly Dismissal[];
  /** When the person last asked for a digest at once: those of the last hour. */
  asked: readonly Date[];
  /** The newest period whose digest was sent. */
  last_period?: string;
}

/** The preferences of a person who has changed none. */
export function noPreferences(accountId: string, orgId: string): Preferences {
  return { _id: accountId, org_id: orgId, digest: 'none', dismissed: [], asked: [] };
}

export const preferencesRows = collection<Preferences>('preferences', {
  about: 'The choices of one person: the digest, and the notices that are dismissed.',
  fields: {
    _id: String,
    org_id: String,
    digest: String,
    dismissed: [object({ id: String, until: nullable(Date) })],
    asked: [Date],
    last_period: optional(String),
  },
});
