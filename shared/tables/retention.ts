import { contextRetention } from '../attribution/model.ts';
import { auditRetention } from '../audit/model.ts';
import { budgetWindowRetention, personWindowRetention } from '../budgets/retention.ts';
import { receiptRetention } from '../credits/ledger/forget-receipts.ts';
import { exportRunRetention } from '../destinations/model.ts';
import { eventRetention } from '../events/model.ts';
import { heldRetention } from '../held/model.ts';
import { idempotencyRetention } from '../idempotency/model.ts';
import { keyRetention } from '../keys/model.ts';
import type { RetentionRule } from '../platform/mongo/retention.ts';
import { raiseRetention } from '../raises/model.ts';
import { signalRetention } from '../signals/model.ts';
import { quarterHourRetention } from '../usage/model.ts';
import { deliveryRetention, pendingDeliveryRetention } from '../webhooks/deliveries/model.ts';

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
  receiptRetention,
  keyRetention,
  exportRunRetention,
];
