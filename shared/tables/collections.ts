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
import { budgetWindowRows, personWindowRows } from '../core/limits/budgets/rules/counted.ts';
import {
  budgetAlertRows,
  budgetEvaluationRows,
  budgetFiringRows,
} from '../core/limits/budgets/rules/fired.ts';
import { budgetRows, personOverrideRows } from '../core/limits/budgets/rules/model.ts';
import { askedRows, reservationStateRows, settlementRows } from '../core/limits/enforcement/state/model.ts';
import { dueRows } from '../platform/due/model.ts';
import { type CollectionDeclaration, createCollections } from '../platform/mongo/collection.ts';
import type { Db } from '../platform/mongo/connect.ts';
import { schemaRows } from '../platform/mongo/schema.ts';
import { instanceRows } from '../platform/mongo/transaction-guard.ts';
import { WINGS } from './wings.ts';

const CORE: readonly CollectionDeclaration[] = [
  organizationRows,
  organizationVersionRows,
  memberRows,
  apiKeyRows,
  signalRows,
  sessionRows,
  sessionHeadRows,
  rollupRows,
  snapshotRows,
  eventRows,
  budgetRows,
  budgetWindowRows,
  budgetFiringRows,
  budgetAlertRows,
  budgetEvaluationRows,
  personWindowRows,
  personOverrideRows,
  settlementRows,
  reservationStateRows,
  askedRows,
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
  auditRows,
  dueRows,
  idempotencyRecordRows,
  instanceRows,
  schemaRows,
];

/** Every collection, for `release`. Each is declared by the noun that owns it; no noun imports this table. */
export const COLLECTIONS: readonly CollectionDeclaration[] = [
  ...CORE.map(withFieldsOfWings),
  ...WINGS.flatMap(({ collections = [] }) => collections),
];

function withFieldsOfWings(declared: CollectionDeclaration): CollectionDeclaration {
  const added = WINGS.map(({ fields }) => fields?.[declared.collectionName]).filter(
    (own) => own !== undefined,
  );
  return added.length === 0
    ? declared
    : { ...declared, fields: Object.assign({}, declared.fields, ...added) };
}

/** Creates what is missing of all collections and indexes. Safe to repeat, and while others run. */
export async function createIndexes(db: Db): Promise<void> {
  await createCollections(db, COLLECTIONS);
}
