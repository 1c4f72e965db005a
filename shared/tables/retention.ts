import { auditRetention } from '../core/accounts/audit/model.ts';
import { idempotencyRetention } from '../core/accounts/idempotency/model.ts';
import { keyRetention } from '../core/accounts/keys/model.ts';
import { signalRetention } from '../core/calls/signals/model.ts';
import { quarterHourRetention } from '../core/calls/usage/model.ts';
import { receiptRetention } from '../core/credits/ledger/forget-receipts.ts';
import { eventRetention } from '../core/events/record/model.ts';
import { deliveryRetention, pendingDeliveryRetention } from '../core/events/webhooks/deliveries/model.ts';
import { budgetWindowRetention, personWindowRetention } from '../core/limits/budgets/count/retention.ts';
import type { RetentionRule } from '../platform/mongo/retention.ts';
import { WINGS } from './wings.ts';

/** Everything that is not kept for ever. Each rule is declared by its noun; no noun imports this table. */
export const RETENTION: readonly RetentionRule[] = [
  signalRetention,
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
  ...WINGS.flatMap(({ retention = [] }) => retention),
];
