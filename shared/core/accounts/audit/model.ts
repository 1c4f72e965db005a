import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { anything, erased, kept, mapOf, nullable } from '../../../platform/mongo/fields.ts';
import { keptForDays } from '../../../platform/mongo/retention.ts';

export const auditRows = collection('audit', {
  about: 'An entry of the audit log: who changed what, and when. No credential is in it.',
  fields: {
    _id: String,
    at: Date,
    /** The id of an API key, the account of a person, or the process (`cli`, `api`, `worker`). */
    actor: kept(String, 'the audit log says who acted: the id of an account or a key'),
    action: String,
    org_id: nullable(String),
    details: erased(kept(mapOf(anything), 'ids of what was changed')),
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [{ key: { org_id: 1, at: 1, _id: 1 } }, { key: { at: 1 } }],
});

export interface AuditEntry extends RowOf<typeof auditRows> {}

export const auditRetention = keptForDays('audit', auditRows, 'at', 'auditRetentionDays');
