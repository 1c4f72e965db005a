import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sendDigestsJob } from '../../shared/core/events/webhooks/deliveries/jobs.ts';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import type { WebhookInput } from '../../shared/core/events/webhooks/endpoints/view.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { addMember } from '../../shared/people/members.ts';
import { noonTimezone } from '../support/calendars.ts';
import { makeAccount, type TestAccount, untilOpen, writePlans } from '../support/credits.ts';
import { type Attempt, spendByHttp } from '../support/drills/load.ts';
import { type Part, type Stack, startStack } from '../support/drills/stack.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startSmtp } from '../support/smtp.ts';
import { findDeliveries, makeWebhook, readEvents, SECRET, type StoredEvent } from '../support/webhooks.ts';

const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 3);
const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
/** All credits of an account. Its level `credit.low` is 3. */
const CREDITS = 30;
const ACCOUNTS = 4;
const THRESHOLDS = [40, 80, 120, 160, 200];
const SIGNALS = 200;
const TENTHS = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

let stack: Stack;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
let receiver: Receiver;
beforeAll(async () => {
  smtp = await startSmtp();
  const plan = { window_credits: 20, window_s: 36_000, monthly_credits: CREDITS - 20 };
  const PLANS_FILE = writePlans({ free: plan, team: plan, enterprise: plan });
  stack = await startStack({ env: { SMTP_URL: smtp.url, PLANS_FILE } });
});
beforeEach(async () => {
  receiver = await startReceiver();
  return () => receiver.close();
});
beforeEach(() => stack.mend());
afterAll(async () => {
  await stack?.stop();
  await smtp?.close();
});

interface Team {
  orgId: string;
  key: string;
  /** The one of its only member; no other team has it. */
  address: string;
  /** By what they ask for. */
  webhooks: Record<'tenths' | 'forecasts' | 'mails' | 'digests', string>;
  budgetIds: string[];
  accounts: TestAccount[];
}

/** Budgets, one webhook of each kind that asks for alerts, and accounts whose organizations are told of their credits. */
async function makeTeam(): Promise<Team> {
  const { ctx } = stack;
  const { orgId, key } = await makeTenant(ctx);
  const address = `ada-${randomUUID()}@example.com`;
  await addMember(ctx, { org_id: orgId, email: address, role: 'member' });
  const add = async (input: Partial<WebhookInput>) =>
    (await createWebhook(ctx, orgId, { url: receiver.url, events: [], secret: SECRET, ...input }))._id;
  const webhooks = {
    tenths: await add({ alert_at: TENTHS }),
    forecasts: await add({ forecast: true }),
    mails: await add({ url: `mailto:${address}`, format: 'email', alert_at: [100] }),
    digests: await add({ alert_at: [25, 75], digest: 'daily' }),
  };
  const budgetIds: string[] = [];
  const timezone = noonTimezone(new Date(ctx.clock.now()));
  const base = { scope: 'org', metric: 'signals', window: 'daily', timezone } as const;
  for (const threshold of THRESHOLDS)
    budgetIds.push((await createBudget(ctx, orgId, { ...base, name: `${threshold}`, threshold }))._id);
  await untilOpen(ctx);
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount(ctx)));
  for (const account of accounts)
    await makeWebhook(ctx, account.orgId, receiver.url, ['credit.low', 'credit.depleted']);
  return { orgId, key, address, webhooks, budgetIds, accounts };
}

/** Sends a signal until it is taken. */
async function report(key: string): Promise<void> {
  const signal = makeSignal({ ts: stack.ctx.clock.now() });
  const take = async () => {
    const answer = await fetch(`${stack.url}/api/v1/signals`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(signal),
      signal: AbortSignal.timeout(20_000),
    }).catch(() => null);
    await answer?.body?.cancel();
    return answer?.status === 200;
  };
  await until(take, { what: 'a signal to be taken' });
}

async function spendAll(account: TestAccount, pace: () => Promise<void>): Promise<void> {
  for (let index = 0; index < CREDITS; index += 1) {
    await pace();
    const attempt: Attempt = { account, key: `spend-${index}`, answer: null, refused: false };
    await until(async () => (await spendByHttp(stack.url, attempt)) === 200, {
      what: 'a spend',
    });
  }
}

/** Makes the collected messages of a digest due now instead of at eight in the morning. */
async function dueNow(orgId: string): Promise<void> {
  const { ctx } = stack;
  const nowMs = ctx.clock.now();
  const make = { $set: { at: nowMs } };
  await queuedDeliveryRows(ctx).updateMany({ org_id: orgId, state: 'collected', at: { $gt: nowMs } }, make);
  ctx.queues.wake(sendDigestsJob, [{ id: `drill-${nowMs}`, job: {}, delayMs: 0 }]);
}

async function eventsOf(orgId: string): Promise<StoredEvent[]> {
  return readEvents(stack.ctx, orgId);
}

/** Each crossing of each kind as a text; what has none is left out. */
function crossingsOf(events: readonly StoredEvent[]): string[] {
  const named = events.flatMap(({ type, webhook_id, data }) => {
    if (type === 'budget.threshold') return [[webhook_id, data.budget_id, data.alert_at].join(' ')];
    return type === 'budget.forecast' ? [[webhook_id, data.budget_id, 'forecast'].join(' ')] : [];
  });
  return named.toSorted();
}

function wantedOf({ webhooks, budgetIds }: Team): string[] {
  const asked: [string, (number | 'forecast')[]][] = [
    [webhooks.tenths, TENTHS],
    [webhooks.forecasts, ['forecast']],
    [webhooks.mails, [100]],
    [webhooks.digests, [25, 75]],
  ];
  const all = asked.flatMap(([webhook, abouts]) =>
    budgetIds.flatMap((budget) => abouts.map((about) => `${webhook} ${budget} ${about}`)),
  );
  return all.toSorted();
}

/** One event per crossing, each in one delivery that has arrived. */
async function expectEachOnce(team: Team): Promise<void> {
  const orgIds = [team.orgId, ...team.accounts.map(({ orgId }) => orgId)];
  const wanted = wantedOf(team);
  await until(async () => crossingsOf(await eventsOf(team.orgId)).length >= wanted.length, {
    what: 'every alert',
  });
  const isSent = async () => {
    await dueNow(team.orgId);
    return (await queuedDeliveryRows(stack.ctx).countDocuments({ org_id: { $in: orgIds } })) === 0;
  };
  for (const { orgId } of team.accounts)
    await until(async () => (await eventsOf(orgId)).filter(isOfCredits).length >= 2);
  await until(isSent, { what: 'every message to be sent' });
  const events = await eventsOf(team.orgId);
  expect(crossingsOf(events)).toEqual(wanted);
  for (const { orgId } of team.accounts) {
    const told = (await eventsOf(orgId)).filter(isOfCredits);
    const totals = told.map(({ type, data }) => [type, data.total].join(' '));
    expect(totals.toSorted()).toEqual(['credit.depleted 0', 'credit.low 3']);
  }
  expectOneDigest(events, team.webhooks.digests);
  await expectArrived(orgIds, team.address);
}

function isOfCredits({ type }: StoredEvent): boolean {
  return type.startsWith('credit.');
}

/** Every event that was collected is in one digest. */
function expectOneDigest(events: readonly StoredEvent[], webhookId: string): void {
  const collected = events.filter(({ type, webhook_id }) => type !== 'digest' && webhook_id === webhookId);
  const digested = events
    .filter(({ type }) => type === 'digest')
    .flatMap(({ data }) => (data.events as { id: string }[]).map(({ id }) => id));
  expect(digested.toSorted()).toEqual(collected.map(({ id }) => id).toSorted());
}

/** One delivery per event, and the request or the mail of each; a repeat has the same id and the same bytes. */
async function expectArrived(orgIds: readonly string[], address: string): Promise<void> {
  const deliveries = (
    await Promise.all(orgIds.map((org_id) => findDeliveries(stack.ctx, { org_id })))
  ).flat();
  expect(new Set(deliveries.map(({ event_id }) => event_id)).size).toBe(deliveries.length);
  const sent = deliveries.filter(({ status }) => status === 'succeeded').map(({ event_id }) => event_id);
  const digested = deliveries.filter(({ status }) => status === 'digested');
  expect(sent.length + digested.length).toBe(deliveries.length);
  const requests = Map.groupBy(receiver.received, ({ headers }) => String(headers['webhook-id']));
  for (const repeats of requests.values()) expect(new Set(repeats.map(({ body }) => body)).size).toBe(1);
  const mails = smtp.mails
    .filter((mail) => mail.includes(`To: ${address}`))
    .map((mail) => /^Message-ID:\s+<([^.]+)\./im.exec(mail)?.[1] ?? '');
  expect([...new Set([...requests.keys(), ...mails])].toSorted()).toEqual(sent.toSorted());
  const repeated = receiver.received.length - requests.size + mails.length - new Set(mails).size;
  console.log(
    `${sent.length} messages sent, ${digested.length} digested, ${repeated} requests and mails repeated`,
  );
}

test.each(['api', 'worker', 'redis', 'mongo'] as const satisfies Part[])(
  `${ROUNDS} times kill -9 of %s (seed ${SEED}): each crossing raises one alert, and none is lost`,
  { timeout: 600_000 + ROUNDS * 120_000 },
  async (part) => {
    const random = seeded(SEED);
    const team = await makeTeam();
    let begun = 0;
    let killed = 0;
    const pace = async () => {
      begun += 1;
      const share = begun / (SIGNALS + ACCOUNTS * CREDITS);
      await until(() => killed >= Math.floor(share * (ROUNDS - 1)), {
        timeoutMs: 600_000 + ROUNDS * 120_000,
      });
    };
    const reporting = Array.from({ length: 4 }, async () => {
      for (let count = 0; count < SIGNALS / 4; count += 1) {
        await pace();
        await report(team.key);
      }
    });
    const load = Promise.all([...reporting, ...team.accounts.map((account) => spendAll(account, pace))]);
    // It fails with the kills when these fail.
    load.catch(() => undefined);
    const kill = async () => {
      await dueNow(team.orgId).catch(() => undefined);
      await stack.kill(part);
      await new Promise((resolve) => setTimeout(resolve, random() * 300));
      await stack.start(part);
      await until(() => stack.isReady(part), { what: `${part} back` });
      killed += 1;
    };
    while (killed < ROUNDS - 1) {
      await new Promise((resolve) => setTimeout(resolve, 200 + random() * 600));
      await kill();
    }
    await load;
    // The last one comes when nothing more does that would wake what it has left behind.
    await new Promise((resolve) => setTimeout(resolve, random() * 300));
    await kill();
    await expectEachOnce(team);
  },
);
