import mongoose, { type ClientSession, type Connection, type Model, Schema } from 'mongoose';
import { type Anomaly, anomalySchema, type SessionCheck, sessionCheckSchema } from '../../anomalies/model.ts';
import { type AuditEntry, auditSchema } from '../../audit/model.ts';
import {
  type Budget,
  type BudgetDue,
  type BudgetEvaluation,
  type BudgetFiring,
  type BudgetGate,
  type BudgetWindow,
  budgetDueSchema,
  budgetEvaluationSchema,
  budgetFiringSchema,
  budgetGateSchema,
  budgetSchema,
  budgetWindowSchema,
} from '../../budgets/model.ts';
import {
  type CreditAccount,
  creditAccountSchema,
  type LedgerFence,
  type LedgerRow,
  ledgerFenceSchema,
  ledgerSchema,
  type SigningKey,
  type StoredAnswer,
  signingKeySchema,
  storedAnswerSchema,
} from '../../credits/model.ts';
import {
  type Device,
  type DeviceGrant,
  type DeviceSlot,
  deviceGrantSchema,
  deviceSchema,
  deviceSlotSchema,
} from '../../devices/model.ts';
import { type Event, eventSchema } from '../../events/model.ts';
import { type ApiKey, apiKeySchema } from '../../keys/model.ts';
import { type Member, memberSchema, type Organization, organizationSchema } from '../../organizations/model.ts';
import {
  type Session,
  type SessionHead,
  type SessionTimer,
  sessionHeadSchema,
  sessionSchema,
  sessionTimerSchema,
} from '../../sessions/model.ts';
import { type Signal, signalSchema } from '../../signals/model.ts';
import {
  type Rollup,
  rollupSchema,
  type Sheet,
  sheetSchema,
  type Total,
  totalSchema,
} from '../../usage/model.ts';
import {
  type Delivery,
  deliverySchema,
  type QueuedDelivery,
  queuedDeliverySchema,
  type Webhook,
  type WebhookTask,
  webhookSchema,
  webhookTaskSchema,
} from '../../webhooks/model.ts';

export interface Db {
  connection: Connection;
  organizations: Model<Organization>;
  members: Model<Member>;
  apiKeys: Model<ApiKey>;
  signals: Model<Signal>;
  sessions: Model<Session>;
  sessionHeads: Model<SessionHead>;
  sessionTimers: Model<SessionTimer>;
  rollups: Model<Rollup>;
  usageTotals: Model<Total>;
  usageSheets: Model<Sheet>;
  events: Model<Event>;
  budgets: Model<Budget>;
  budgetWindows: Model<BudgetWindow>;
  budgetGates: Model<BudgetGate>;
  budgetDues: Model<BudgetDue>;
  budgetFirings: Model<BudgetFiring>;
  budgetEvaluations: Model<BudgetEvaluation>;
  anomalies: Model<Anomaly>;
  sessionChecks: Model<SessionCheck>;
  devices: Model<Device>;
  deviceSlots: Model<DeviceSlot>;
  deviceGrants: Model<DeviceGrant>;
  creditAccounts: Model<CreditAccount>;
  ledger: Model<LedgerRow>;
  storedAnswers: Model<StoredAnswer>;
  ledgerFences: Model<LedgerFence>;
  signingKeys: Model<SigningKey>;
  webhooks: Model<Webhook>;
  deliveries: Model<Delivery>;
  queuedDeliveries: Model<QueuedDelivery>;
  webhookTasks: Model<WebhookTask>;
  audit: Model<AuditEntry>;
  instances: Model<Instance>;
  /** Tells the others in which driver session (hex id) this process writes. */
  registerSession(session: string): Promise<void>;
}

/** One process that runs transactions, and the driver sessions that it runs them in: see transaction-guard.ts. */
export interface Instance {
  _id: string;
  /** Grows while the process lives. */
  beat: number;
  /** Driver session ids, hex. */
  sessions: string[];
}

/** All tries of one transaction together; then the store counts as away (503) and nothing was kept. */
const TRANSACTION_TIMEOUT_MS = 15_000;

/** The record: journaled on a majority before it is acknowledged. */
const DURABLE = { w: 'majority', j: true } as const;

/**
 * Opens one connection with its models. Fails fast (no buffering), refuses a filter that names an unknown path
 * (`strictQuery: 'throw'`) or holds `undefined`, and never creates an index by itself: `release` does. A server that
 * hangs without closing its connections is noticed after 7 s (heartbeat and connect timeout), as one that is gone.
 */
export async function connectMongo(url: string, options: { maxPoolSize?: number } = {}): Promise<Db> {
  const connection = mongoose.createConnection(url, {
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    maxPoolSize: options.maxPoolSize ?? 20,
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    heartbeatFrequencyMS: 2_000,
    writeConcern: DURABLE,
    readConcern: { level: 'majority' },
  });
  // A topology that comes and goes is reported by readiness and by the failing operations.
  connection.on('error', () => undefined);
  await connection.asPromise();
  return modelsOf(connection);
}

function modelsOf(connection: Connection): Db {
  function model<T>(name: string, schema: Schema<T>): Model<T> {
    schema.set('strictQuery', 'throw');
    schema.set('versionKey', false);
    schema.set('minimize', false);
    return connection.model<T>(name, guarded(schema), name);
  }
  return {
    connection,
    organizations: model('organizations', organizationSchema),
    members: model('members', memberSchema),
    apiKeys: model('api_keys', apiKeySchema),
    signals: model('signals', signalSchema),
    sessions: model('sessions', sessionSchema),
    sessionHeads: model('session_heads', sessionHeadSchema),
    sessionTimers: model('session_timers', sessionTimerSchema),
    rollups: model('rollups', rollupSchema),
    usageTotals: model('usage_totals', totalSchema),
    usageSheets: model('usage_sheets', sheetSchema),
    events: model('events', eventSchema),
    budgets: model('budgets', budgetSchema),
    budgetWindows: model('budget_windows', budgetWindowSchema),
    budgetGates: model('budget_gates', budgetGateSchema),
    budgetDues: model('budget_dues', budgetDueSchema),
    budgetFirings: model('budget_firings', budgetFiringSchema),
    budgetEvaluations: model('budget_evaluations', budgetEvaluationSchema),
    anomalies: model('anomalies', anomalySchema),
    sessionChecks: model('session_checks', sessionCheckSchema),
    devices: model('devices', deviceSchema),
    deviceSlots: model('device_slots', deviceSlotSchema),
    deviceGrants: model('device_grants', deviceGrantSchema),
    creditAccounts: model('credit_accounts', creditAccountSchema),
    ledger: model('ledger', ledgerSchema),
    storedAnswers: model('stored_answers', storedAnswerSchema),
    ledgerFences: model('ledger_fences', ledgerFenceSchema),
    signingKeys: model('signing_keys', signingKeySchema),
    webhooks: model('webhooks', webhookSchema),
    deliveries: model('deliveries', deliverySchema),
    queuedDeliveries: model('queued_deliveries', queuedDeliverySchema),
    webhookTasks: model('webhook_tasks', webhookTaskSchema),
    audit: model('audit', auditSchema),
    instances: model(
      'instances',
      new Schema<Instance>({ _id: { type: String, required: true }, beat: Number, sessions: [String] }),
    ),
    registerSession: async () => undefined,
  };
}

const guardedSchemas = new WeakSet<object>();

/** The driver turns `undefined` into null or drops it; either would widen a tenant's filter, so it throws. */
function guarded<T>(schema: Schema<T>): Schema<T> {
  if (guardedSchemas.has(schema)) return schema;
  guardedSchemas.add(schema);
  schema.pre(/^(find|count|update|delete|distinct|replace)/, { query: true, document: false }, function () {
    const filter = (this as unknown as { getFilter(): Record<string, unknown> }).getFilter();
    const undefinedPath = Object.keys(filter).find((path) => filter[path] === undefined);
    if (undefinedPath !== undefined) throw new Error(`The filter's "${undefinedPath}" is undefined`);
  });
  return schema;
}

/**
 * The driver's own collection, for the hot paths: what comes here was checked by zod or computed by us, and casting
 * it again would cost half the time. The guards of the models do not apply.
 */
export function raw<T extends { _id: string }>(model: Model<T>): mongoose.mongo.Collection<T> {
  return model.collection as unknown as mongoose.mongo.Collection<T>;
}

/** Creates what is missing of collections and indexes. Safe to repeat, and while others run. */
export async function createIndexes(db: Db): Promise<void> {
  const existing = new Set((await db.connection.listCollections()).map((collection) => collection.name));
  for (const model of Object.values(db.connection.models)) {
    if (!existing.has(model.collection.collectionName)) await model.createCollection();
    await model.createIndexes();
  }
}

const afterCommits = new WeakMap<ClientSession, (() => void)[]>();

/**
 * Runs `act` once when the transaction has committed, and never when it has not: for wake-ups, which may be lost.
 * Throws for a session that `inTransaction` did not open, so that nothing is forgotten silently.
 */
export function afterCommit(transaction: ClientSession, act: () => void): void {
  const acts = afterCommits.get(transaction);
  if (!acts) throw new Error('afterCommit needs a transaction of inTransaction');
  acts.push(act);
}

/**
 * Runs `work` as one transaction: all of it or nothing. Write conflicts are tried again, so `work` runs from its
 * start each time and must not act on anything outside (`afterCommit` is for that).
 */
export async function inTransaction<T>(db: Db, work: (transaction: ClientSession) => Promise<T>): Promise<T> {
  return db.connection.getClient().withSession(async (session) => {
    await announce(db, session);
    const attempt = () => {
      afterCommits.set(session, []);
      return work(session);
    };
    const result = await session.withTransaction(attempt, {
      readConcern: { level: 'snapshot' },
      writeConcern: DURABLE,
      timeoutMS: TRANSACTION_TIMEOUT_MS,
    });
    for (const act of afterCommits.get(session) ?? []) act();
    return result;
  });
}

const announced = new WeakMap<Db, Set<string>>();

/** The driver has few sessions and uses them again, so that this is rarely a write. */
async function announce(db: Db, session: ClientSession): Promise<void> {
  const known = announced.get(db) ?? new Set<string>();
  announced.set(db, known);
  const id = session.id?.id.toString('hex') ?? '';
  if (known.has(id)) return;
  await db.registerSession(id);
  known.add(id);
}
