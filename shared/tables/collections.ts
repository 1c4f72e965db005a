import { frozenCellRows, frozenWeekRows } from '../analytics/model.ts';
import { anomalyRows } from '../anomalies/model.ts';
import { boundaryRows, contextRows, sessionWorkRows, workRows } from '../attribution/model.ts';
import { auditRows } from '../audit/model.ts';
import {
  budgetAlertRows,
  budgetEvaluationRows,
  budgetFiringRows,
  budgetMonthRows,
  budgetRows,
  budgetWindowRows,
  personOverrideRows,
  personWindowRows,
} from '../budgets/model.ts';
import { peopleLogRows } from '../budgets/people-log.ts';
import { focusClosedRows } from '../closing/model.ts';
import { codeHostRows } from '../code-hosts/model.ts';
import {
  creditAccountRows,
  creditAlertRows,
  deviceTokenRows,
  ledgerFenceRows,
  ledgerRows,
  paidCheckoutRows,
  signingKeyRows,
} from '../credits/model.ts';
import { destinationRows, exportPartitionRows, exportRunRows } from '../destinations/model.ts';
import { deviceGrantRows, deviceRows } from '../devices/model.ts';
import { askedRows, reservationStateRows, settlementRows } from '../enforcement/model.ts';
import { eventRows } from '../events/model.ts';
import { heldRows } from '../held/model.ts';
import { idempotencyRecordRows } from '../idempotency/model.ts';
import { apiKeyRows } from '../keys/model.ts';
import { endedMailRows } from '../organizations/ended-mails.ts';
import { memberRows, organizationRows } from '../organizations/model.ts';
import { organizationVersionRows } from '../organizations/versions.ts';
import { dueRows } from '../platform/due/model.ts';
import { createCollections } from '../platform/mongo/collection.ts';
import type { Db } from '../platform/mongo/connect.ts';
import { schemaRows } from '../platform/mongo/schema.ts';
import { instanceRows } from '../platform/mongo/transaction-guard.ts';
import { preferencesRows } from '../preferences/model.ts';
import { pullRequestCountRows } from '../pull-requests/counts.ts';
import { pullRequestRows } from '../pull-requests/model.ts';
import { raiseRows } from '../raises/model.ts';
import { sessionHeadRows, sessionRows } from '../sessions/model.ts';
import { signalRows } from '../signals/model.ts';
import { rollupRows, snapshotRows } from '../usage/model.ts';
import { deliveryRows, queuedDeliveryRows } from '../webhooks/deliveries/model.ts';
import { mailPermitRows } from '../webhooks/endpoints/mail-permits.ts';
import { webhookRows } from '../webhooks/endpoints/model.ts';

/** Every collection, for `release`. Each is declared by the noun that owns it; no noun imports this table. */
export const COLLECTIONS = [
  organizationRows,
  organizationVersionRows,
  memberRows,
  preferencesRows,
  apiKeyRows,
  signalRows,
  heldRows,
  sessionRows,
  sessionHeadRows,
  contextRows,
  workRows,
  boundaryRows,
  sessionWorkRows,
  rollupRows,
  snapshotRows,
  frozenWeekRows,
  frozenCellRows,
  eventRows,
  budgetRows,
  budgetWindowRows,
  budgetMonthRows,
  budgetFiringRows,
  budgetAlertRows,
  budgetEvaluationRows,
  raiseRows,
  personWindowRows,
  personOverrideRows,
  peopleLogRows,
  settlementRows,
  reservationStateRows,
  askedRows,
  anomalyRows,
  deviceRows,
  deviceGrantRows,
  creditAccountRows,
  ledgerRows,
  deviceTokenRows,
  ledgerFenceRows,
  paidCheckoutRows,
  creditAlertRows,
  signingKeyRows,
  webhookRows,
  deliveryRows,
  queuedDeliveryRows,
  mailPermitRows,
  endedMailRows,
  codeHostRows,
  pullRequestRows,
  pullRequestCountRows,
  focusClosedRows,
  destinationRows,
  exportRunRows,
  exportPartitionRows,
  auditRows,
  dueRows,
  idempotencyRecordRows,
  instanceRows,
  schemaRows,
] as const;

/** Creates what is missing of all collections and indexes. Safe to repeat, and while others run. */
export async function createIndexes(db: Db): Promise<void> {
  await createCollections(db, COLLECTIONS);
}
