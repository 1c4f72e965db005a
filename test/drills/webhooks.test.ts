import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { killChild } from '../support/drills/child.ts';
import { type OwnMongo, startOwnMongo } from '../support/drills/own-mongo.ts';
import { makeTenant } from '../support/factories.ts';
import { openTestContext, type TestContext, testEnv, until } from '../support/harness.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { findDeliveries, makeWebhook, raise, SECRET } from '../support/webhooks.ts';

const EVENTS = 100;
let own: OwnMongo;
let ctx: TestContext;
let receiver: Receiver;
let orgId: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  own = await startOwnMongo();
  ctx = await openTestContext({ mongoUrl: own.url });
});
beforeEach(async () => {
  receiver = await startReceiver();
  ({ orgId } = await makeTenant(ctx));
  await makeWebhook(ctx, orgId, receiver.url);
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(end));
  await receiver.close();
});
afterAll(async () => {
  await ctx.close();
  await own.stop();
});

async function startWorker(env: Record<string, string> = {}, on = ctx): Promise<ChildProcess> {
  const child = fork(new URL('../support/drills/webhook-worker.ts', import.meta.url), {
    env: {
      ...process.env,
      ...testEnv('ignored'),
      MONGODB_URL: on.config.mongodbUrl,
      REDIS_URL: on.config.redisUrl,
      // Vite sets its own.
      BASE_URL: '',
      LOG_LEVEL: 'error',
      QUEUE_PREFIX: on.queuePrefix,
      ...env,
    },
  });
  children.push(child);
  await once(child, 'message');
  return child;
}

/** Without a transaction under way: the store would keep its rows locked for a minute. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGCONT');
  child.send('end');
  await ended;
}

async function unrecorded(): Promise<Set<string>> {
  const rows = await queuedDeliveryRows(ctx)
    .find({ org_id: orgId, state: 'pending' }, { projection: { event_id: 1 } })
    .toArray();
  return new Set(rows.map(({ event_id }) => event_id));
}

async function raiseAll(from = ctx, of = orgId): Promise<string[]> {
  const events: string[] = [];
  for (let index = 0; index < EVENTS; index += 20) events.push(...(await raise(from, of, 20)));
  return events;
}

/** Every event arrived, signed and by the same attempt; only what was not recorded may have come twice. */
async function expectAllOnceBut(events: readonly string[], mayBeDoubled: ReadonlySet<string>): Promise<void> {
  await until(async () => (await unrecorded()).size === 0, { what: 'all to be recorded' });
  const sends = Map.groupBy(receiver.received, ({ event }) => event.id);
  expect(events.filter((id) => !sends.has(id))).toEqual([]);
  const doubled = [...sends].filter(([, requests]) => requests.length > 1).map(([id]) => id);
  expect(doubled.filter((id) => !mayBeDoubled.has(id))).toEqual([]);
  for (const { headers, body } of receiver.received) {
    expect(headers['x-service-attempt']).toBe('1');
    expect(verifyWebhook(body, headers['x-service-signature'], SECRET)).toBe(true);
  }
}

describe('a worker killed by SIGKILL loses nothing', () => {
  it.each([
    ['before the call', { KILL_IN: 'attempts', KILL_AT: '1' }],
    ['after the answer, before the record', { KILL_IN: 'delivery-outcomes', KILL_AT: '2' }],
  ])('%s', async (_step, env) => {
    const doomed = await startWorker(env);
    const died = once(doomed, 'exit');
    const events = await raiseAll();
    await died;
    const left = await unrecorded();
    expect(left.size).toBeGreaterThan(0);
    await startWorker();
    await expectAllOnceBut(events, left);
  });

  it('during the call', async () => {
    receiver.behave({ status: 200, afterMs: 400 });
    const doomed = await startWorker();
    const events = await raiseAll();
    await until(() => receiver.received.length > 0);
    await killChild(doomed);
    const left = await unrecorded();
    receiver.behave({ status: 200 });
    await startWorker();
    await expectAllOnceBut(events, left);
  });
});

it('what Redis loses is found in the store', async () => {
  const events = await raiseAll();
  await ctx.queues.drained();
  await ctx.queues.of('deliver-webhook').obliterate({ force: true });
  await startWorker();
  await expectAllOnceBut(events, new Set());
});

it('a MongoDB killed by SIGKILL and started again loses nothing', async () => {
  const mongo = await startOwnMongo({ fast: false });
  const own = await openTestContext({ mongoUrl: mongo.url });
  try {
    const tenant = await makeTenant(own);
    await makeWebhook(own, tenant.orgId, receiver.url);
    const events = await raiseAll(own, tenant.orgId);
    const died = once(mongo.child(), 'exit');
    // The store dies between attempts and their records, long before the last attempt.
    receiver.behave(() => {
      if (receiver.received.length >= 20) mongo.child().kill('SIGKILL');
      return { status: 200, afterMs: 200 };
    });
    await startWorker({}, own);
    await died;
    receiver.behave({ status: 200 });
    const answered = receiver.received.length;
    expect(answered).toBeLessThan(EVENTS);
    // The requests under way are answered now, and cannot be recorded.
    await until(() => receiver.received.length > answered, { timeoutMs: 1_000 }).catch(() => undefined);
    await mongo.restart();
    const left = () => queuedDeliveryRows(own).countDocuments({ org_id: tenant.orgId, state: 'pending' });
    await until(async () => (await left().catch(() => EVENTS)) === 0, {
      what: 'all to be recorded',
    });
    expect(new Set(receiver.received.map(({ event }) => event.id))).toEqual(new Set(events));
    const rows = await findDeliveries(own, { org_id: tenant.orgId });
    expect(rows.map(({ event_id }) => event_id).toSorted()).toEqual(events.toSorted());
    for (const { status, attempts } of rows)
      expect([status, attempts.map(({ number, error }) => [number, error])]).toEqual([
        'succeeded',
        [[1, null]],
      ]);
  } finally {
    await Promise.all(children.splice(0).map(end));
    await own.close();
    await mongo.stop();
  }
});

it('a worker stopped for longer than its locks, beside one that goes on: each attempt is recorded once', async () => {
  // Taking a finished job off the queue fails for the one that was stopped, which it says loudly.
  const retries = { TIME_SCALE: '300', LOG_LEVEL: 'fatal' };
  let underWay = new Set<string>();
  // Attempts 1 and 2 fail, 3 succeeds: late where the stopped worker has an answer to attempt 1 in hand.
  receiver.behave(({ headers, event }) =>
    headers['x-service-attempt'] === '3'
      ? { status: 200, afterMs: underWay.has(event.id) ? 4_000 : 0 }
      : { status: 500, afterMs: 300 },
  );
  const stopped = await startWorker(retries);
  const events = await raiseAll();
  await until(() => receiver.received.length > 0);
  stopped.kill('SIGSTOP');
  underWay = new Set(receiver.received.map(({ event }) => event.id));
  const other = await startWorker(retries);
  const lost = async () =>
    (await findDeliveries(ctx, { org_id: orgId })).filter(({ event_id }) => underWay.has(event_id));
  await until(async () => (await lost()).every(({ attempts }) => attempts.length >= 2), {
    what: 'its locks to run out, and two attempts by the other',
  });
  // It wakes with these answers while each delivery is at a later attempt.
  stopped.kill('SIGCONT');
  await until(async () => (await unrecorded()).size === 0, { what: 'all to be recorded' });
  await Promise.all([stopped, other].map(end));
  const rows = await findDeliveries(ctx, { org_id: orgId });
  expect(rows.map(({ event_id }) => event_id).toSorted()).toEqual(events.toSorted());
  for (const { status, attempts } of rows)
    expect([status, attempts.map(({ number, status: answered }) => [number, answered])]).toEqual([
      'succeeded',
      [[1, 500], [2, 500], [3, 200]],
    ]); // biome-ignore format: a row
});

it('endpoints that hang do not hold up another one', async () => {
  await startWorker();
  const startedMs = performance.now();
  const events = await raise(ctx, orgId, 30);
  await until(() => receiver.received.length >= 30);
  const aloneMs = performance.now() - startedMs;
  const hanging = await startReceiver('hang');
  for (let index = 0; index < 20; index += 1) await makeWebhook(ctx, orgId, `${hanging.url}/${index}`);
  events.push(...(await raise(ctx, orgId, 30)));
  await until(() => hanging.received.length >= 40);
  events.push(...(await raise(ctx, orgId, 30)));
  // Less than the ten seconds of one that hangs, and longer only where the same took long by itself.
  const timeoutMs = 8_000 + 4 * aloneMs;
  await until(() => receiver.received.length >= 90, { timeoutMs, what: 'the endpoint that answers' });
  expect(new Set(receiver.received.map(({ event }) => event.id))).toEqual(new Set(events));
  await hanging.close();
});
