import { Pool } from 'undici';
import { type Anomaly, anomalyRows } from '../../shared/anomalies/model.ts';
import { type AuditEntry, auditRows } from '../../shared/audit/model.ts';
import { createBudget } from '../../shared/budgets/change-budgets.ts';
import { type Member, memberRows, organizationRows } from '../../shared/organizations/model.ts';
import { readOrganization } from '../../shared/organizations/read-organization.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { derivedId, newId } from '../../shared/platform/basics/ids.ts';
import type { Session } from '../../shared/sessions/model.ts';
import { reconcileUsage } from '../../shared/usage/reconcile-usage.ts';
import { type Delivery, deliveryRows } from '../../shared/webhooks/deliveries/model.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { numberOption, quantile, report, round } from './bench.ts';
import { AUDIENCE, startIssuer } from './issuer.ts';
import { seedLedger } from './ledger-seed.ts';
import { LIST_DAYS, seedSessions, sessionAt } from './list.ts';
import { seedPullRequests } from './pull-request-pages.ts';
import { seedSignals } from './seed-signals.ts';
import { AS_SCRIPTS_UP, callOf, makeKey, postSignals, type Stage, setStage } from './stage.ts';

const GOAL_MS = 300;
const DAY_MS = 86_400_000;
/** One session in so many has an anomaly. */
const ANOMALOUS_OF = 500;
const MEMBERS = 1_000;
const OPEN = 200;
const BUDGETS = 50;
const PULL_REQUESTS = 10_000;
const SECRET = 'the-secret-of-the-bench-0123456789';

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

/**
 * `first-pages [--sessions 1000000] [--rows 100000] [--signals 0] [--reads 30]`: the first page of every list, every question
 * about usage and the first byte of every export, as pages of the dashboard ask for them, one after the other. `signals` are
 * those of the sessions.
 */
export async function runFirstPagesBench(args: string[]): Promise<void> {
  const reads = numberOption(args, 'reads', 30);
  const size = sizeOf(args, { sessions: 1_000_000, rows: 100_000, signals: 0 });
  const { stage, issuer } = await setStageOfPeople();
  try {
    const { url } = await stage.startApi();
    const tenant = await seed(stage, { url, ...(await makeKey(stage)) }, size, issuer.mint);
    report('first-pages', await timePages(tenant, reads));
  } finally {
    issuer.server.close();
    await stage.stop();
  }
}

/** Reads from the options how much is seeded. */
export function sizeOf(args: readonly string[], usual: Size): Size {
  return {
    sessions: numberOption(args, 'sessions', usual.sessions),
    rows: numberOption(args, 'rows', usual.rows),
    signals: numberOption(args, 'signals', usual.signals),
  };
}

/** A stage where people sign in. */
export async function setStageOfPeople() {
  const issuer = await startIssuer();
  const stage = await setStage({
    ...AS_SCRIPTS_UP,
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: AUDIENCE,
    OIDC_CLIENT_ID: 'bench',
  });
  return { stage, issuer };
}

/** Times every question so many times. */
export async function timePages(tenant: Tenant, reads: number): Promise<Record<string, unknown>[]> {
  const figures: Record<string, unknown>[] = [];
  for (const [page, path, credential = tenant.key] of questionsOf(tenant)) {
    const times = await timeFirstBytes(`${tenant.url}${path}`, credential, reads);
    const isExport = path.includes('export');
    const figure = {
      page,
      asks: path.replace(tenant.orgId, '{orgId}'),
      'first ms': round(times[0] ?? 0, 1),
      'p50 ms': round(quantile(sorted(times), 0.5), 1),
      'p99 ms': round(quantile(sorted(times), 0.99), 1),
    };
    const reached = isExport || figure['p50 ms'] <= GOAL_MS;
    figures.push({ ...figure, reached });
    console.error(JSON.stringify(figures.at(-1)));
  }
  return figures;
}

const sorted = (times: readonly number[]) => times.toSorted((a, b) => a - b);

/** The page that asks, the question, and the credential where it is not the key. */
type Question = readonly [page: string, path: string, credential?: string];

function questionsOf({ orgId, admin, spender, webhook, budget }: Tenant): Question[] {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const today = systemClock.now();
  const month = `from=${dayOf(today - 30 * DAY_MS)}&to=${dayOf(today + DAY_MS)}`;
  const year = `from=${dayOf(today - LIST_DAYS * DAY_MS)}&to=${dayOf(today)}`;
  const sessions = '/api/v1/sessions?limit=50';
  const listed = (filter: string): Question => ['Sessions', `${sessions}${filter}`];
  const dimensions = 'user_id,project_id,model,adapter';
  return [
    listed(''),
    listed(`&${month}`),
    listed('&project_id=web'),
    listed('&model=gpt-5'),
    listed('&user_id=user-7'),
    listed('&adapter=codex&model=gpt-5'),
    listed('&errors=true'),
    listed('&errors=false'),
    listed('&anomalous=true'),
    listed('&anomalous=false'),
    listed('&state=open'),
    listed('&state=ended'),
    listed('&sort=cost_usd'),
    listed(`&sort=cost_usd&${month}`),
    listed('&sort=cost_usd&project_id=web'),
    listed('&sort=cost_usd&min_cost_usd=100'),
    listed('&sort=cost_usd&min_cost_usd=1&state=ended'),
    listed('&sort=tokens&user_id=user-7'),
    [
      'Overview',
      `/api/v1/org/${orgId}/usage?${month}&interval=day&series=each&top=8&group_by=${dimensions},team`,
    ],
    ['Overview', `/api/v1/usage?${year}&interval=month&series=each&top=20&group_by=user_id,project_id,model`],
    ['Overview', `/api/v1/usage?${month}`],
    ['Overview', `/api/v1/usage?${year}&group_by=user_id`],
    ['a person', `/api/v1/usage?${month}&interval=day&user_id=user-7`],
    ['Analytics', `/api/v1/org/${orgId}/analytics?dimension=model`],
    ['Ctrl K', '/api/v1/search?q=user-7'],
    ['Anomalies', '/api/v1/anomalies?limit=50'],
    ['held', '/api/v1/held-signals?limit=50'],
    ['Budgets', '/api/v1/budgets?limit=100'],
    ['Budget', `/api/v1/budgets/${budget}/usage`],
    ['Budget', `/api/v1/budgets/${budget}/windows`],
    ['Pull requests', '/api/v1/pull-requests?limit=20'],
    ['Webhook', `/api/v1/webhooks/${webhook}/deliveries?limit=50`],
    ['Webhook', `/api/v1/webhooks/${webhook}/deliveries?limit=50&status=exhausted`],
    ['Members', '/v1/members', admin],
    ['Audit', '/v1/audit?limit=50', admin],
    ['Audit', '/v1/audit?limit=50&action=member.', admin],
    ['Credits', '/v1/ledger?limit=50', spender],
    ['Export', `/api/v1/usage/export?${month}&level=daily&format=csv`],
    ['Export', `/api/v1/usage/export?${month}&level=sessions&format=csv`],
    ['Export', `/api/v1/usage/export?${month}&level=focus&format=csv`],
    ['Export', `/v1/audit/export?format=csv`, admin],
  ];
}

/** Milliseconds until the first byte of the body; a page's is all of it. An export is left there. */
async function timeFirstBytes(url: string, credential: string, reads: number): Promise<number[]> {
  const times: number[] = [];
  for (let read = 0; read < reads; read += 1) {
    const leaving = new AbortController();
    const began = performance.now();
    const answer = await fetch(url, {
      headers: { Authorization: `Bearer ${credential}` },
      signal: leaving.signal,
    });
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
    if (url.includes('export')) {
      await answer.body?.getReader().read();
      leaving.abort();
    } else await answer.arrayBuffer();
    times.push(performance.now() - began);
  }
  return times;
}

/** Fills an organization with what its pages list. */
export async function seed(
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
  await seedSessions(stage, orgId, 0, sessions, sessionOf);
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
