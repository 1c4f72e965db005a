import { frozenCellRows, frozenWeekRows } from '../analytics/model.ts';
import { anomalyRows, sessionCheckRows } from '../anomalies/model.ts';
import { auditRows } from '../audit/model.ts';
import {
  budgetDueRows,
  budgetEvaluationRows,
  budgetFiringRows,
  budgetGateRows,
  budgetRows,
  budgetWindowRows,
} from '../budgets/model.ts';
import {
  creditAccountRows,
  ledgerFenceRows,
  ledgerRows,
  signingKeyRows,
  storedAnswerRows,
} from '../credits/model.ts';
import { deviceGrantRows, deviceRows, deviceSlotRows } from '../devices/model.ts';
import { eventRows } from '../events/model.ts';
import { apiKeyRows } from '../keys/model.ts';
import { memberRows, organizationRows } from '../organizations/model.ts';
import { organizationVersionRows } from '../organizations/versions.ts';
import { dueRows } from '../platform/due/model.ts';
import { createCollections } from '../platform/mongo/collection.ts';
import type { Db } from '../platform/mongo/connect.ts';
import { instanceRows } from '../platform/mongo/transaction-guard.ts';
import { sessionHeadRows, sessionRows, sessionTimerRows } from '../sessions/model.ts';
import { signalRows } from '../signals/model.ts';
import { rollupRows, snapshotRows } from '../usage/model.ts';
import { deliveryRows, queuedDeliveryRows } from '../webhooks/deliveries/model.ts';
import { webhookRows } from '../webhooks/endpoints/model.ts';
import { webhookTaskRows } from '../webhooks/endpoints/tasks.ts';

/** Every collection, for `release`. Each is declared by the noun that owns it; no noun imports this table. */
export const COLLECTIONS = [
  organizationRows,
  organizationVersionRows,
  memberRows,
  apiKeyRows,
  signalRows,
  sessionRows,
  sessionHeadRows,
  sessionTimerRows,
  rollupRows,
  snapshotRows,
  frozenWeekRows,
  frozenCellRows,
  eventRows,
  budgetRows,
  budgetWindowRows,
  budgetGateRows,
  budgetDueRows,
  budgetFiringRows,
  budgetEvaluationRows,
  anomalyRows,
  sessionCheckRows,
  deviceRows,
  deviceSlotRows,
  deviceGrantRows,
  creditAccountRows,
  ledgerRows,
  storedAnswerRows,
  ledgerFenceRows,
  signingKeyRows,
  webhookRows,
  deliveryRows,
  queuedDeliveryRows,
  webhookTaskRows,
  auditRows,
  dueRows,
  instanceRows,
] as const;

/** Creates what is missing of all collections and indexes. Safe to repeat, and while others run. */
export async function createIndexes(db: Db): Promise<void> {
  await createCollections(db, COLLECTIONS);
}
