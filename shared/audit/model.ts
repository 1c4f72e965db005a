import { Schema } from 'mongoose';

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

export const auditSchema = new Schema<AuditEntry>({
  _id: { type: String, required: true },
  at: { type: Date, required: true },
  actor: { type: String, required: true },
  action: { type: String, required: true },
  org_id: { type: String, default: null },
  details: Schema.Types.Mixed,
});
auditSchema.index({ org_id: 1, at: 1 });
auditSchema.index({ at: 1 });
