import { randomUUID } from 'node:crypto';
import { listAudit } from '../../shared/core/accounts/audit/list-audit.ts';
import { grantCredits } from '../../shared/core/credits/ledger/grant-credits.ts';
import { readLedger } from '../../shared/core/credits/ledger/read-ledger.ts';
import { refundSpend } from '../../shared/core/credits/ledger/refund-spend.ts';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { enableWebhook } from '../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { eraseMember } from '../../shared/people/erase-member.ts';
import { exportMember } from '../../shared/people/export-member.ts';
import { addMember } from '../../shared/people/members.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import * as jobs from '../../workers/index.ts';
import { sweepOnce } from '../../workers/sweeper.ts';
import { makeAccount, openCreditContext, projectAll, spendOnce, startOwnRedis } from './credits.ts';
import { makeSignal, makeTenant } from './factories.ts';
import { createTestClock, startApi, type TestApi, type TestClock, type TestContext } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Query, queriesOf } from './shard-keys.ts';
import { SECRET } from './webhooks.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Story {
  ctx: TestContext;
  clock: TestClock;
  api: TestApi;
  receiver: Receiver;
  orgId: string;
  key: string;
  /** Runs what the product does not do itself: its commands are not observed. */
  unobserved: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The commands of the story, as MongoDB gets them. */
interface Observed {
  queries: readonly Query[];
  close: () => Promise<void>;
}

/**
 * The queries of every part of the service, as a sharded MongoDB gets them: signals, sessions, usage, budgets, deliveries,
 * credits and members by the API, and each job of a worker.
 */
export async function observeStory(): Promise<Observed> {
  const clock = createTestClock();
  const [redis, receiver] = await Promise.all([startOwnRedis(), startReceiver({ status: 500 })]);
  const ctx = await openCreditContext({ clock, redisUrl: redis.url, isJudged: true });
  Object.assign(ctx.db, { isEmbedded: false, isOneSet: false });
  const queries: Query[] = [];
  let isObserved = true;
  ctx.db.connection.getClient().on('commandStarted', ({ commandName, command }) => {
    if (!isObserved) return;
    queries.push(...queriesOf(commandName, command));
  });
  const api = await startApi({ ctx });
  const unobserved = async <T>(work: () => Promise<T>): Promise<T> => {
    isObserved = false;
    return work().finally(() => {
      isObserved = true;
    });
  };
  const story = { ctx, clock, api, receiver, unobserved, ...(await makeTenant(ctx)) };
  await recordAndRead(story);
  await deliver(story);
  await administer(story);
  await spend(story);
  await grow(story);
  const close = async () => {
    await api.close();
    await ctx.close();
    await Promise.all([redis.stop(), receiver.close()]);
  };
  return { queries, close };
}

async function recordAndRead(story: Story): Promise<void> {
  const { api, clock, key, orgId } = story;
  await ask(story, 'POST', '/api/v1/webhooks', { url: story.receiver.url, events: EVENTS, secret: SECRET });
  const limit = { metric: 'cost_usd', window: 'daily', threshold: 0.01, enforce: 'hard' };
  const { id } = await ask(story, 'POST', '/api/v1/budgets', { name: 'B', scope: 'org', ...limit });
  const each = { name: 'Each', scope: 'org', per: 'user', metric: 'tokens', window: 'daily' } as const;
  await createBudget(story.ctx, orgId, { ...each, threshold: 100 });
  const now = clock.now();
  await ask(story, 'POST', '/api/v1/pull-requests', {
    repository: 'github.com/acme/shop',
    number: 12,
    branch: 'cart',
    state: 'open',
    opened_at: new Date(now).toISOString(),
  });
  const { data: pullRequests } = await ask(story, 'GET', '/api/v1/pull-requests');
  await ask(story, 'GET', `/api/v1/pull-requests/${pullRequests[0].id}`);
  await ask(story, 'GET', '/api/v1/pull-requests/summary');
  await ask(story, 'GET', '/api/v1/branches');
  const costly = { user_id: 'ada', tokens_in: 9_000_000, cost_usd: 900 };
  const signals = [
    ...['ada', 'bob'].map((user_id) => makeSignal({ ts: now - 5 * HOUR_MS, user_id })),
    ...[4, 3, 2, 1].map((minutes) => makeSignal({ ts: now - minutes * 60_000, ...costly })),
    makeSignal({ ts: now, user_id: 'bob', type: 'intervention', intervention: INTERVENTION }),
  ];
  const working = { metadata: { client_session_id: 's-1' } };
  const context = { client_session_id: 's-1', repository: 'github.com/acme/shop', branch: 'main' };
  const first = makeSignal({ ts: now - 6 * HOUR_MS, user_id: 'ada', ...working });
  await ask(story, 'POST', '/api/v1/signals', { signals: [first] });
  for (const renamed_from of [undefined, 'old']) {
    const ts = new Date(now - (renamed_from ? 6 : 7) * HOUR_MS).toISOString();
    await ask(story, 'POST', '/api/v1/contexts', { contexts: [{ ...context, ts, renamed_from }] });
  }
  await ask(story, 'POST', '/api/v1/signals', { signals });
  await ask(story, 'POST', '/api/v1/signals', { signals });
  const late = makeSignal({ ts: now - 2 * DAY_MS, user_id: 'ada', metadata: { of: 'ada' } });
  await ask(story, 'POST', '/api/v1/signals', { signals: [late] });
  const { data: sessions } = await ask(story, 'GET', '/api/v1/sessions?user_id=ada&model=gpt-4o-mini');
  const session = `/api/v1/sessions/${sessions[0].id}`;
  const from = new Date(now - 9 * DAY_MS).toISOString();
  for (const path of [
    '/api/v1/sessions?order=asc',
    '/api/v1/sessions?branch=main',
    '/api/v1/usage?group_by=branch&repository=github.com/acme/shop',
    session,
    `${session}/interventions`,
    `${session}/breakdown`,
    `/api/v1/search?q=${sessions[0].id}`,
    `/api/v1/usage?from=${from}&interval=day&group_by=user_id`,
    '/api/v1/usage?interval=hour&user_id=ada',
    `/api/v1/usage/export?level=daily&from=${from}`,
    '/api/v1/usage/export?level=sessions',
    '/api/v1/budgets',
    `/api/v1/budgets/${id}/windows`,
    `/api/v1/budgets/${id}/usage`,
    `/api/v1/budgets/${id}/events`,
    `/api/v1/org/${orgId}/analytics?dimension=model`,
  ])
    await ask(story, 'GET', path);
  await ask(story, 'POST', '/api/v1/budgets/check', { user_id: 'ada' });
  await ask(story, 'POST', `${session}/close`);
  const repeated = { 'Idempotency-Key': randomUUID() };
  for (const _ of [1, 2])
    await api.call('/api/v1/budgets', {
      key,
      body: { name: 'C', scope: 'org', ...limit },
      headers: repeated,
    });
}

const EVENTS = ['session.started', 'session.ended', 'budget.exceeded', 'anomaly.detected'];
const INTERVENTION = { kind: 'gate', verdict: 'deny', action: 'block', source: 'config', reason: 'why' };

/** Attempts fail until the webhook does; then it is enabled again, and what it held is sent. */
async function deliver(story: Story): Promise<void> {
  const { ctx, clock, receiver, orgId } = story;
  const { data: webhooks } = await ask(story, 'GET', '/api/v1/webhooks');
  const webhook = `/api/v1/webhooks/${webhooks[0].id}`;
  await runDue(story);
  for (const waitMs of [30_000, 300_000, 1_800_000, 7_200_000]) {
    clock.advance(waitMs);
    await runDue(story);
  }
  receiver.behave({ status: 200 });
  await enableWebhook(ctx, orgId, webhooks[0].id);
  await ask(story, 'POST', `${webhook}/recover`, { since: new Date(clock.now() - DAY_MS).toISOString() });
  await runDue(story);
  const { data: deliveries } = await ask(story, 'GET', `${webhook}/deliveries`);
  await ask(story, 'GET', `${webhook}/deliveries?status=succeeded`);
  await ask(story, 'GET', `${webhook}/deliveries/${deliveries[0].id}`);
  await ask(story, 'POST', `${webhook}/deliveries/${deliveries[0].id}/redeliver`);
  await runDue(story);
  await ask(story, 'GET', '/api/v1/anomalies');
  await ask(story, 'DELETE', webhook);
  await runDue(story);
}

async function administer(story: Story): Promise<void> {
  const { ctx, clock, orgId } = story;
  const signals = [makeSignal({ ts: clock.now(), user_id: 'ada', metadata: { of: 'ada' } })];
  await ask(story, 'POST', '/api/v1/signals', { signals });
  await changeOrganization(ctx, orgId, { session_timeout: 3_600 });
  const member = { org_id: orgId, email: 'ada@example.com', role: 'member', user_id: 'ada' } as const;
  await addMember(ctx, member);
  for await (const _part of exportMember(ctx, orgId, 'ada'));
  await eraseMember(ctx, orgId, 'ada');
  await listAudit(ctx, orgId, {}, { order: 'desc', limit: 20, after: null, total: null });
}

async function spend({ ctx }: Story): Promise<void> {
  const account = await makeAccount(ctx);
  const { accountId } = account;
  await grantCredits(ctx, { accountId, bucket: 'granted', amount: 5, idempotencyKey: 'a-grant' });
  await spendOnce(ctx, account.token);
  await projectAll(ctx);
  const whole = { beforeSeq: null, limit: 100, include: 'details' } as const;
  for await (const rows of readLedger(ctx, accountId, {}, whole))
    for (const { _id, reason } of rows) if (reason === 'receipt') await refundSpend(ctx, accountId, _id);
}

/** Everything that a worker does by the clock, today and when all of it is too old. */
async function grow(story: Story): Promise<void> {
  const { ctx, clock } = story;
  for (const ms of [0, 2 * DAY_MS, 1_200 * DAY_MS]) {
    clock.advance(ms);
    await runDue(story);
    await sweepOnce(ctx);
    for (const row of Object.values(jobs)) if (row.everyMs !== undefined) await row.handle({}, ctx);
  }
}

/** Does what the workers do for whatever is due by the clock, until there is nothing. */
async function runDue({ ctx, clock, unobserved }: Story): Promise<void> {
  const rows = new Map(Object.values(jobs).map((row) => [row.kind, row]));
  for (let round = 0; round < 5; round += 1) {
    const before = { $lte: new Date(clock.now()) };
    const due = await unobserved(() => dueRows(ctx).find({ due_at: before }).toArray());
    const queued = await unobserved(() =>
      queuedDeliveryRows(ctx)
        .find({ state: 'pending', at: { $lte: clock.now() } })
        .toArray(),
    );
    for (const { kind, key } of due) await rows.get(kind)?.handle({ key }, ctx);
    for (const { _id, webhook_id, attempt, wake } of queued) {
      const row = attempt === 1 ? jobs.deliverWebhook : jobs.retryWebhook;
      await row.handle({ webhook_id, delivery_ids: [_id], wake, published: false }, ctx);
    }
    if (due.length + queued.length === 0) return;
  }
}

/** The body of an answer, which must be a success. */
// biome-ignore lint/suspicious/noExplicitAny: the story looks into answers of every shape.
async function ask({ api, key }: Story, method: string, path: string, body?: object): Promise<any> {
  const answer = await api.call(path, { method, key, ...(body ? { body } : {}) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}
