import { codeHostSecrets } from '../code-hosts/model.ts';
import { destinationSecrets } from '../destinations/model.ts';
import { type SealedRows, webhookSecrets } from '../webhooks/endpoints/rotate-secret-keys.ts';

/** Every secret that WEBHOOK_SECRET_KEYS encrypts, for the rotation of its keys. */
export const SEALED_ROWS: readonly SealedRows[] = [webhookSecrets, codeHostSecrets, destinationSecrets];
