import { webhookSecrets } from '../core/events/webhooks/endpoints/rotate-secret-keys.ts';
import type { SealedRows } from '../platform/mongo/sealed-rows.ts';
import { WINGS } from './wings.ts';

/** Every secret that WEBHOOK_SECRET_KEYS encrypts, for the rotation of its keys. */
export const SEALED_ROWS: readonly SealedRows[] = [
  webhookSecrets,
  ...WINGS.flatMap(({ secrets = [] }) => secrets),
];
