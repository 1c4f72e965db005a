import { type Maker, makerField } from '../../../core/accounts/keys/model.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { nullable, only, optional } from '../../../platform/mongo/fields.ts';
import { sealedRows } from '../../../platform/mongo/sealed-rows.ts';

/** Where pull requests are; what GitLab calls a merge request is one too. */
export const CODE_HOST_PROVIDERS = ['github', 'gitlab', 'bitbucket'] as const;
export type CodeHostProvider = (typeof CODE_HOST_PROVIDERS)[number];

export const codeHostRows = collection('code_hosts', {
  about: 'A code host that sends the events of pull requests.',
  fields: {
    _id: String,
    org_id: String,
    provider: only<CodeHostProvider>(String),
    name: nullable(String),
    /** Encrypted as the secret of a webhook is: never in jobs, logs or answers but the first. */
    secret: String,
    /** The person or key that saw its secret; absent where none was noted. */
    made_by: optional(only<Maker>(makerField)),
    created_at: Date,
    /** When an event of it last arrived that it had signed. */
    last_event_at: nullable(Date),
  },
  indexes: [{ key: { org_id: 1, created_at: 1 } }],
});

export interface CodeHost extends RowOf<typeof codeHostRows> {}

export const codeHostSecrets = sealedRows(codeHostRows, { secret: (id) => id });
