import { auditRows } from '../core/accounts/audit/model.ts';
import { deviceGrantRows, deviceRows } from '../core/accounts/devices/model.ts';
import { idempotencyRecordRows } from '../core/accounts/idempotency/model.ts';
import { apiKeyRows } from '../core/accounts/keys/model.ts';
import { endedMailRows } from '../core/accounts/organizations/ended-mails.ts';
import { memberRows, organizationRows } from '../core/accounts/organizations/model.ts';
import { organizationVersionRows } from '../core/accounts/organizations/versions.ts';
import { sessionHeadRows, sessionRows } from '../core/calls/sessions/model.ts';
import { signalRows } from '../core/calls/signals/model.ts';
import { rollupRows, snapshotRows } from '../core/calls/usage/model.ts';
import {
  creditAccountRows,
  creditAlertRows,
  deviceTokenRows,
  ledgerFenceRows,
  ledgerRows,
  paidCheckoutRows,
  signingKeyRows,
} from '../core/credits/model.ts';
import { eventRows } from '../core/events/record/model.ts';
import { deliveryRows, queuedDeliveryRows } from '../core/events/webhooks/deliveries/model.ts';
import { mailPermitRows } from '../core/events/webhooks/endpoints/mail-permits.ts';
import { webhookRows } from '../core/events/webhooks/endpoints/model.ts';
import {
  budgetAlertRows,
  budgetEvaluationRows,
  budgetFiringRows,
  budgetMonthRows,
  budgetRows,
  budgetWindowRows,
  personOverrideRows,
  personWindowRows,
} from '../core/limits/budgets/rules/model.ts';
import { peopleLogRows } from '../core/limits/budgets/rules/people-log.ts';
import { askedRows, reservationStateRows, settlementRows } from '../core/limits/enforcement/state/model.ts';
import { dueRows } from '../platform/due/model.ts';
import { createCollections } from '../platform/mongo/collection.ts';
import type { Db } from '../platform/mongo/connect.ts';
import { schemaRows } from '../platform/mongo/schema.ts';
import { instanceRows } from '../platform/mongo/transaction-guard.ts';
import { frozenCellRows, frozenWeekRows } from '../wings/analytics/model.ts';
import { anomalyRows } from '../wings/anomalies/model.ts';
import { preferencesRows } from '../wings/digests/preferences/model.ts';
import { heldRows } from '../wings/held/model.ts';
import { focusClosedRows } from '../wings/push/closing/model.ts';
import { destinationRows, exportPartitionRows, exportRunRows } from '../wings/push/destinations/model.ts';
import { raiseRows } from '../wings/raises/model.ts';
import { boundaryRows, contextRows, sessionWorkRows, workRows } from '../wings/work/attribution/model.ts';
import { codeHostRows } from '../wings/work/code-hosts/model.ts';
import { pullRequestCountRows } from '../wings/work/pull-requests/counts.ts';
import { pullRequestRows } from '../wings/work/pull-requests/model.ts';

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
