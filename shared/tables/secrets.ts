import { type SealedRows, webhookSecrets } from '../core/events/webhooks/endpoints/rotate-secret-keys.ts';
import { destinationSecrets } from '../wings/push/destinations/model.ts';
import { codeHostSecrets } from '../wings/work/code-hosts/model.ts';

/** Every secret that WEBHOOK_SECRET_KEYS encrypts, for the rotation of its keys. */
export const SEALED_ROWS: readonly SealedRows[] = [webhookSecrets, codeHostSecrets, destinationSecrets];
