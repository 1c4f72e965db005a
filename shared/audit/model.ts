import { collection } from '../platform/mongo/collection.ts';

/** Who changed what by hand. Never holds a credential. */
export interface AuditEntry {
  _id: string;
  at: Date;
  /** `cli` or the account of the person. */
  actor: string;
  action: string;
  org_id: string | null;
  details: Record<string, unknown>;
}

export const auditRows = collection<AuditEntry>('audit', {
  indexes: [{ key: { org_id: 1, at: 1 } }, { key: { at: 1 } }],
});
