import { Pool } from 'undici';
import { type AuditEntry, auditRows } from '../../shared/core/accounts/audit/model.ts';
import { type Member, memberRows, organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import type { Session } from '../../shared/core/calls/sessions/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { type Delivery, deliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { derivedId, newId } from '../../shared/platform/basics/ids.ts';
import { DAY_MS } from '../../shared/platform/basics/interval.ts';
import { type Anomaly, anomalyRows } from '../../shared/wings/anomalies/model.ts';
import { numberOption } from './bench.ts';
import { seedLedger } from './ledger-seed.ts';
import { LIST_DAYS, seedSessions, sessionAt } from './list.ts';
import { seedPullRequests } from './pull-request-pages.ts';
import { seedSignals } from './seed-signals.ts';
import { callOf, postSignals, type Stage } from './stage.ts';
import { SECRET } from './webhooks.ts';

/** One session in so many has an anomaly. */
const ANOMALOUS_OF = 500;
const MEMBERS = 1_000;
const OPEN = 200;
const BUDGETS = 50;
const PULL_REQUESTS = 10_000;

export interface Size {
  sessions: number;
  /** Rows of each other list that grows: audit entries, deliveries, ledger. */
  rows: number;
  /** Calls of the sessions. */
  signals: number;
}

export interface Tenant {
  url: string;
  orgId: string;
  key: string;
  /** The credential of an admin. */
  admin: string;
  /** The same of the member with the longest ledger. */
  spender: string;
  webhook: string;
  budget: string;
}

/** Reads from the options how much is seeded. */
export function sizeOf(args: readonly string[], usual: Size): Size {
  return {
    sessions: numberOption(args, 'sessions', usual.sessions),
    rows: numberOption(args, 'rows', usual.rows),
    signals: numberOption(args, 'signals', usual.signals),
  };
}

/** Fills an organization with what its pages list. */
export async function seedTenant(
  stage: Stage,
  { url, orgId, key }: Pick<Tenant, 'url' | 'orgId' | 'key'>,
  { sessions, rows, signals }: Size,
  mint: (sub: string) => Promise<string>,
): Promise<Tenant> {
  const { ctx } = stage;
  const nowMs = systemClock.now();
  const created_at = new Date(nowMs - LIST_DAYS * DAY_MS);
  await organizationRows(ctx).updateOne({ _id: orgId }, { $set: { created_at } });
  const perSession = Math.round(signals / sessions);
  await seedSessions(stage, orgId, 0, sessions, (...at) => ({
    ...sessionOf(...at),
    ...(perSession > 0 ? { signal_count: perSession } : {}),
  }));
  await seedSignals(ctx, { sessions, perSession, sessionOf: (index) => sessionOf(orgId, index, nowMs) });
  await seedRows(
    Math.ceil(sessions / ANOMALOUS_OF),
    (index) => anomalyOf(sessionAt(orgId, index * ANOMALOUS_OF, nowMs)),
    (some) => anomalyRows(ctx).insertMany(some),
  );
  await reconcileUsage(ctx, await readOrganization(ctx, orgId), { fromMs: 0, repair: true });
  const iss = ctx.config.oidcIssuer ?? '';
  const members = Array.from({ length: MEMBERS }, (_, index) => memberOf(orgId, index, iss, created_at));
  await memberRows(ctx).insertMany(members);
  const budgets = [];
  for (let at = 0; at < BUDGETS; at += 1) {
    const fields = { name: `b${at}`, scope: 'org', metric: 'cost_usd', threshold: 1e6 } as const;
    budgets.push(await createBudget(ctx, orgId, { ...fields, window: 'monthly' }));
  }
  const webhook = await createWebhook(ctx, orgId, {
    url: 'http://127.0.0.1:9/',
    secret: SECRET,
    events: ['session.ended'],
  });
  await seedRows(
    rows,
    (index) => deliveryOf(orgId, webhook._id, index, nowMs),
    (some) => deliveryRows(ctx).insertMany(some, { ordered: false }),
  );
  await seedRows(
    rows,
    (index) => entryOf(orgId, index, nowMs),
    (some) => auditRows(ctx).insertMany(some, { ordered: false }),
  );
  await seedPullRequests(ctx, orgId, { count: PULL_REQUESTS, nowMs });
  const { wallets } = await seedLedger(ctx, { rows, accounts: 100, big: rows / 10 }, ['receipt']);
  const pool = new Pool(url);
  const calls = Array.from({ length: OPEN }, (_, index) => callOf(`open-${index}`, `open-${index}`));
  await postSignals(pool, key, calls);
  await pool.close();
  return {
    url,
    orgId,
    key,
    admin: await mint('member-0'),
    spender: await mint(wallets[0]?.account._id ?? ''),
    webhook: webhook._id,
    budget: budgets[0]?._id ?? '',
  };
}

const BATCH = 5_000;

async function seedRows<Row>(
  count: number,
  rowOf: (index: number) => Row,
  insert: (rows: Row[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < count; from += BATCH)
    await insert(Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => rowOf(from + at)));
}

/** One session in a hundred has an error, and one in five hundred an anomaly. */
function sessionOf(orgId: string, index: number, nowMs: number): Session {
  return {
    ...sessionAt(orgId, index, nowMs),
    error_count: index % 100 === 0 ? 1 : 0,
    ...(index % ANOMALOUS_OF === 0 ? { anomaly_types: ['cost_spike'] } : {}),
  };
}

function anomalyOf({ _id: session_id, org_id, user_id, started_at }: Session): Anomaly {
  return {
    _id: derivedId('anm', session_id),
    org_id,
    user_id,
    session_id,
    anomaly_type: 'cost_spike',
    baseline_avg: 1,
    observed: 9,
    deviation_pct: 800,
    reports: 1,
    detected_at: started_at,
    updated_at: started_at,
  };
}

function memberOf(orgId: string, index: number, iss: string, created_at: Date): Member {
  return {
    _id: newId('usr'),
    org_id: orgId,
    user_id: `user-${index}`,
    email: `user-${index}@bench.example`,
    name: `User ${index}`,
    role: index === 0 ? 'admin' : 'member',
    teams: [`team-${index % 20}`],
    idp: { iss, sub: `member-${index}` },
    created_at,
    removed_at: null,
  };
}

function deliveryOf(orgId: string, webhookId: string, index: number, nowMs: number): Delivery {
  const at = new Date(nowMs - index * 1_000);
  return {
    _id: derivedId('dlv', webhookId, index),
    event_id: derivedId('evt', index),
    webhook_id: webhookId,
    org_id: orgId,
    type: 'session.ended',
    status: index % 100 === 0 ? 'exhausted' : 'succeeded',
    round: 1,
    next_attempt_at: null,
    attempts: [{ number: 1, at, status: 200, latency_ms: 9, error: null, answer: 'ok' }],
    created_at: at,
    finished_at: at,
  };
}

function entryOf(orgId: string, index: number, nowMs: number): AuditEntry {
  const action = index % 50 === 0 ? 'member.add' : 'budget.update';
  const at = new Date(nowMs - index * 60_000);
  return { _id: newId('aud'), at, actor: 'cli', action, org_id: orgId, details: {} };
}
