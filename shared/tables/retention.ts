import { contextRetention } from '../attribution/model.ts';
import { auditRetention } from '../audit/model.ts';
import { budgetWindowRetention, personWindowRetention } from '../budgets/retention.ts';
import { exportRunRetention } from '../destinations/model.ts';
import { eventRetention } from '../events/model.ts';
import { heldRetention } from '../held/retention.ts';
import { idempotencyRetention } from '../idempotency/retention.ts';
import { keyRetention } from '../keys/retention.ts';
import type { RetentionRule } from '../platform/mongo/retention.ts';
import { raiseRetention } from '../raises/retention.ts';
import { signalRetention } from '../signals/model.ts';
import { quarterHourRetention } from '../usage/retention.ts';
import { deliveryRetention, pendingDeliveryRetention } from '../webhooks/deliveries/retention.ts';

/** Everything that is not kept for ever. Each rule is declared by its noun; no noun imports this table. */
export const RETENTION: readonly RetentionRule[] = [
  signalRetention,
  heldRetention,
  raiseRetention,
  contextRetention,
  quarterHourRetention,
  budgetWindowRetention,
  personWindowRetention,
  eventRetention,
  deliveryRetention,
  pendingDeliveryRetention,
  auditRetention,
  idempotencyRetention,
  keyRetention,
  exportRunRetention,
];
