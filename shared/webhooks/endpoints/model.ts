import type { EventType } from '../../platform/basics/contract.ts';
import { collection } from '../../platform/mongo/collection.ts';

export interface Webhook {
  _id: string;
  org_id: string;
  url: string;
  events: EventType[];
  /** Encrypted (`encrypt-secret.ts`): never in jobs, logs or answers. */
  secret: string;
  /** Stays true while the webhook is failing. */
  enabled: boolean;
  status: 'active' | 'failing';
  failing_since: Date | null;
  created_at: Date;
}

export const webhookRows = collection<Webhook>('webhooks', {
  indexes: [{ key: { org_id: 1, created_at: 1 } }, { key: { status: 1 } }],
});
