import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeTenant } from '../factories.ts';
import { openTestContext, type TestContext, testEnv, until } from '../harness.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { makeWebhook, raise, SECRET } from '../shared/webhooks/fixture.ts';

const EVENTS = 100;
let ctx: TestContext;
let receiver: Receiver;
let orgId: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  ctx = await openTestContext();
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
afterAll(() => ctx.close());

async function startWorker(env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = fork(new URL('./webhook-worker.ts', import.meta.url), {
    env: {
      ...process.env,
      ...testEnv('ignored'),
      MONGODB_URL: ctx.config.mongodbUrl,
      REDIS_URL: ctx.config.redisUrl,
      // Vite sets its own.
      BASE_URL: '',
      LOG_LEVEL: 'error',
      QUEUE_PREFIX: ctx.queuePrefix,
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

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function unrecorded(): Promise<Set<string>> {
  const rows = await ctx.db.deliveries.find({ org_id: orgId, status: 'pending' }, { event_id: 1 }).lean();
  return new Set(rows.map(({ event_id }) => event_id));
}

async function raiseAll(): Promise<string[]> {
  const events: string[] = [];
  for (let index = 0; index < EVENTS; index += 20) events.push(...(await raise(ctx, orgId, 20)));
  return events;
}

/** Every event arrived, signed and by the same attempt; only what was not recorded may have come twice. */
async function expectAllOnceBut(events: readonly string[], mayBeDoubled: ReadonlySet<string>): Promise<void> {
  await until(async () => (await unrecorded()).size === 0, { timeoutMs: 45_000, what: 'all to be recorded' });
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
    ['before the call', { KILL_IN: 'attempts', KILL_AT: '3' }],
    ['after the answer, before the record', { KILL_IN: 'delivery-outcomes', KILL_AT: '2' }],
  ])(
    '%s',
    async (_step, env) => {
      const doomed = await startWorker(env);
      const died = once(doomed, 'exit');
      const events = await raiseAll();
      await died;
      const left = await unrecorded();
      expect(left.size).toBeGreaterThan(0);
      await startWorker();
      await expectAllOnceBut(events, left);
    },
    60_000,
  );

  it('during the call', async () => {
    receiver.behave({ status: 200, afterMs: 400 });
    const doomed = await startWorker();
    const events = await raiseAll();
    await until(() => receiver.received.length > 0);
    await kill(doomed);
    const left = await unrecorded();
    receiver.behave({ status: 200 });
    await startWorker();
    await expectAllOnceBut(events, left);
  }, 90_000);
});

it('a worker that stands still for longer than its locks is replaced, and what it records late changes nothing', async () => {
  const stopped = await startWorker({ KILL_IN: 'delivery-outcomes', KILL_AT: '1', KILL_BY: 'SIGSTOP' });
  const events = await raiseAll();
  await until(() => receiver.received.length > 0);
  await startWorker();
  await expectAllOnceBut(events, new Set(events));
  const deliveries = () => ctx.db.deliveries.find({ org_id: orgId }).sort({ _id: 1 }).lean();
  const before = await deliveries();
  expect(before.every(({ status, attempts }) => status === 'succeeded' && attempts.length === 1)).toBe(true);
  // It goes on, records what it had in hand, and ends.
  await end(stopped);
  expect(await deliveries()).toEqual(before);
  expect(receiver.received.length).toBeGreaterThan(events.length);
}, 90_000);

it('what Redis loses is found in the store', async () => {
  const events = await raiseAll();
  await ctx.queues.settled();
  await ctx.queues.byName['deliver-webhook'].obliterate({ force: true });
  await startWorker();
  await expectAllOnceBut(events, new Set());
}, 90_000);

it('endpoints that hang do not hold up another one', async () => {
  const hanging = await startReceiver('hang');
  for (let index = 0; index < 20; index += 1) await makeWebhook(ctx, orgId, `${hanging.url}/${index}`);
  await startWorker();
  const events = await raise(ctx, orgId, 30);
  await until(() => hanging.received.length >= 40, { timeoutMs: 20_000 });
  const more = await raise(ctx, orgId, 30);
  await until(() => receiver.received.length >= 60, { timeoutMs: 8_000, what: 'the endpoint that answers' });
  expect(new Set(receiver.received.map(({ event }) => event.id))).toEqual(new Set([...events, ...more]));
  await hanging.close();
}, 90_000);
