import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { nullable, object, only, optional } from '../../../platform/mongo/fields.ts';

export const MAILED_DIGESTS = ['none', 'daily', 'weekly'] as const;
export type MailedDigest = (typeof MAILED_DIGESTS)[number];

/** A notice that a person does not want to see again. */
export interface Dismissal {
  /** The kind, object and occurrence of the notice, as the page that shows it names them. */
  id: string;
  /** The notice comes back then; null: never. */
  until: Date | null;
}

export function noPreferences(accountId: string, orgId: string): Preferences {
  return { _id: accountId, org_id: orgId, digest: 'none', dismissed: [], asked: [] };
}

export const preferencesRows = collection('preferences', {
  about: 'The choices of one person: the digest, and the notices that are dismissed.',
  fields: {
    /** The member's account. */
    _id: String,
    org_id: String,
    digest: only<MailedDigest>(String),
    /** Oldest first. */
    dismissed: only<readonly Dismissal[]>([object({ id: String, until: nullable(Date) })]),
    /** When the person last asked for a digest at once: those of the last hour. */
    asked: [Date],
    /** The newest period whose digest was sent. */
    last_period: optional(String),
  },
});

export interface Preferences extends RowOf<typeof preferencesRows> {}
