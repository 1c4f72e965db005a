import { collection } from '../../../platform/mongo/collection.ts';
import { nullable } from '../../../platform/mongo/fields.ts';
import { sealedRows } from '../../../platform/mongo/sealed-rows.ts';

/** Where pull requests are; what GitLab calls a merge request is one too. */
export const CODE_HOST_PROVIDERS = ['github', 'gitlab', 'bitbucket'] as const;
export type CodeHostProvider = (typeof CODE_HOST_PROVIDERS)[number];

/** A code host that sends an organization the events of its pull requests. */
export interface CodeHost {
  _id: string;
  org_id: string;
  provider: CodeHostProvider;
  name: string | null;
  /** Encrypted as the secret of a webhook is: never in jobs, logs or answers but the first. */
  secret: string;
  created_at: Date;
  /** When an event of it last arrived that it had signed. */
  last_event_at: Date | null;
}

export const codeHostRows = collection<CodeHost>('code_hosts', {
  about: 'A code host that sends the events of pull requests.',
  fields: {
    _id: String,
    org_id: String,
    provider: String,
    name: nullable(String),
    secret: String,
    created_at: Date,
    last_event_at: nullable(Date),
  },
  indexes: [{ key: { org_id: 1, created_at: 1 } }],
});

export const codeHostSecrets = sealedRows(codeHostRows, { secret: (id) => id });
