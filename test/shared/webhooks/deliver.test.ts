import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordEvents } from '../../../shared/events/record-events.ts';
import { inTransaction } from '../../../shared/mongo.ts';
import { connectRedis } from '../../../shared/redis/connect.ts';
import { purge } from '../../../shared/usage/purge.ts';
import type { Position } from '../../../shared/walk.ts';
import { attemptDelivery } from '../../../shared/webhooks/attempt-delivery.ts';
import { enableWebhook } from '../../../shared/webhooks/enable-webhook.ts';
import { listDeliveries } from '../../../shared/webhooks/list-deliveries.ts';
import { redeliver } from '../../../shared/webhooks/redeliver.ts';
import { listWebhooks, registerWebhook, removeWebhook } from '../../../shared/webhooks/webhooks.ts';
import { alertAdmin } from '../../../workers/alert-admin.ts';
import { deliverWebhook, drainWebhook, holdWebhook, retryWebhook } from '../../../workers/deliver-webhook.ts';
import type { JobHandler } from '../../../workers/job-handler.ts';
import { sweepOnce } from '../../../workers/sweeper.ts';
import { startWorker } from '../../../workers/worker.ts';
import { makeTenant } from '../../factories.ts';
import { createTestClock, openTestContext, type TestContext, until } from '../../harness.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { attemptAllDue, findDeliveries, makeWebhook, raise, readDelivery, SECRET } from './fixture.ts';

const START = Date.parse('2026-11-21T12:00:00.000Z');
const clock = createTestClock(START);
let ctx: TestContext;
let receiver: Receiver;
let orgId: string;
beforeAll(async () => {
  ctx = await openTestContext({ clock });
});
beforeEach(async () => {
  receiver = await startReceiver();
  ({ orgId } = await makeTenant(ctx));
});
afterEach(() => receiver.close());
afterAll(() => ctx.close());

describe('a delivery', () => {
  it('arrives signed as soon as its event has committed, and is recorded', async () => {
    const connection = connectRedis(ctx.config, 'worker');
    const worker = startWorker(deliverWebhook as unknown as JobHandler, ctx, connection);
    await worker.waitUntilReady();
    const { _id: webhookId } = await makeWebhook(ctx, orgId, receiver.url);
    const [eventId = ''] = await raise(ctx, orgId, 1, { user_id: 'ada' });
    await until(() => receiver.received.length > 0);
    const delivery = await until(async () => {
      const row = await readDelivery(ctx, eventId);
      return row.status === 'succeeded' ? row : null;
    });
    await worker.close();
    connection.disconnect();
    const [request] = receiver.received;
    if (!request) throw new Error('nothing arrived');
    expect(request.event).toEqual({
      id: eventId,
      type: 'session.started',
      org_id: orgId,
      ts: new Date(START).toISOString(),
      data: { user_id: 'ada', index: 0 },
    });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-attempt': '1',
      'webhook-id': eventId,
      'webhook-timestamp': String(START / 1_000),
    });
    expect(request.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(verifyWebhook(request.body, request.headers['x-service-signature'], SECRET)).toBe(true);
    expect(delivery).toMatchObject({
      webhook_id: webhookId,
      next_attempt_at: null,
      attempts: [{ number: 1, status: 200, error: null }],
    });
    expect(await ctx.db.queuedDeliveries.countDocuments({ webhook_id: webhookId, state: 'pending' })).toBe(0);
  });

  it('is verified by the Standard Webhooks libraries, also with a whsec_ secret', async () => {
    const whsec = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    for (const secret of [SECRET, whsec]) {
      await registerWebhook(ctx, orgId, { url: receiver.url, events: ['session.started'], secret });
    }
    clock.set(Date.now());
    await raise(ctx, orgId);
    await attemptAllDue(ctx);
    const verifiedBy = (secret: string) =>
      receiver.received.filter(({ body, headers }) => {
        const library =
          secret === SECRET ? new StandardWebhook(secret, { format: 'raw' }) : new StandardWebhook(secret);
        try {
          library.verify(body, headers as Record<string, string>);
          return verifyWebhook(body, headers['x-service-signature'], secret);
        } catch {
          return false;
        }
      });
    expect(receiver.received).toHaveLength(2);
    expect(verifiedBy(SECRET)).toHaveLength(1);
    expect(verifiedBy(whsec)).toHaveLength(1);
  });

  it('goes to each webhook that subscribes and to no other', async () => {
    const other = await makeTenant(ctx);
    await makeWebhook(ctx, orgId, `${receiver.url}/a`, ['session.started', 'session.ended']);
    await makeWebhook(ctx, orgId, `${receiver.url}/b`, ['budget.warning']);
    await makeWebhook(ctx, other.orgId, `${receiver.url}/c`);
    await raise(ctx, orgId);
    await attemptAllDue(ctx);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook/a']);
  });

  it('is not planned when the change that raised it is rolled back', async () => {
    await makeWebhook(ctx, orgId, receiver.url);
    const event = {
      cause: [orgId],
      type: 'session.started' as const,
      org_id: orgId,
      ts: new Date(clock.now()),
      data: {},
    };
    const failed = inTransaction(ctx.db, async (transaction) => {
      await recordEvents(ctx, [event], transaction);
      throw new Error('the change fails');
    });
    await expect(failed).rejects.toThrow('the change fails');
    expect(await findDeliveries(ctx, { org_id: orgId })).toEqual([]);
    expect(await ctx.db.events.countDocuments({ org_id: orgId })).toBe(0);
    await ctx.queues.settled();
    expect(await attemptAllDue(ctx)).toBe(0);
  });
});

describe('the schedule', () => {
  it('is 0 s, 30 s, 5 min, 30 min and 2 h after the failure before, exactly', async () => {
    receiver.behave({ status: 500, body: 'not today' });
    await makeWebhook(ctx, orgId, receiver.url);
    const [eventId = ''] = await raise(ctx, orgId);
    const times: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await attemptAllDue(ctx);
      times.push(clock.now());
      const { next_attempt_at } = await readDelivery(ctx, eventId);
      if (!next_attempt_at) break;
      clock.set(next_attempt_at.getTime() - 1);
      expect(await attemptAllDue(ctx)).toBe(0);
      clock.advance(1);
    }
    const waits = times.map((at, index) => at - (times[index - 1] ?? at));
    expect(waits).toEqual([0, 30_000, 300_000, 1_800_000, 7_200_000]);
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5);
    const delivery = await readDelivery(ctx, eventId);
    expect(delivery.status).toBe('exhausted');
    expect(
      delivery.attempts.map(({ number, status, error, answer }) => [number, status, error, answer]),
    ).toEqual([1, 2, 3, 4, 5].map((number) => [number, 500, 'http', 'not today']));
  });

  it('wakes each retry a little early, and sends it when it is due', async () => {
    receiver.behave({ status: 500 });
    await makeWebhook(ctx, orgId, receiver.url);
    const [eventId = ''] = await raise(ctx, orgId);
    await attemptAllDue(ctx);
    const { _id, webhook_id } = await readDelivery(ctx, eventId);
    await ctx.queues.settled();
    expect((await ctx.queues.byName['retry-webhook'].getJob(`${_id}-2`))?.delay).toBe(29_750);
    const job = { webhook_id, delivery_ids: [_id], announced: false };
    const dueMs = clock.now() + 30_000;
    expect(await retryWebhook.handle(job, ctx)).toEqual({ notBeforeMs: dueMs - 250 });
    clock.set(dueMs - 50);
    expect(await retryWebhook.handle(job, ctx)).toEqual({ notBeforeMs: dueMs });
    expect(receiver.received).toHaveLength(1);
    const handled = retryWebhook.handle(job, ctx);
    clock.set(dueMs);
    expect(await handled).toBeUndefined();
    expect(receiver.received).toHaveLength(2);
  });

  it('records an attempt once, however many workers run it', async () => {
    receiver.behave({ status: 500, afterMs: 30 });
    await makeWebhook(ctx, orgId, receiver.url);
    const [eventId = ''] = await raise(ctx, orgId);
    const { _id: deliveryId, webhook_id: webhookId } = await readDelivery(ctx, eventId);
    await Promise.all(Array.from({ length: 4 }, () => attemptDelivery(ctx, { deliveryId, webhookId })));
    const delivery = await readDelivery(ctx, eventId);
    expect(delivery.attempts).toHaveLength(1);
    expect(delivery.next_attempt_at).toEqual(new Date(clock.now() + 30_000));
  });

  it('finds what is due when Redis has lost every job', async () => {
    const { _id: webhookId } = await makeWebhook(ctx, orgId, receiver.url);
    const events = await raise(ctx, orgId, 20);
    await ctx.queues.settled();
    await ctx.queues.byName['deliver-webhook'].obliterate({ force: true });
    clock.advance(5_000);
    await sweepOnce(ctx);
    await ctx.queues.settled();
    const jobs = await ctx.queues.byName['deliver-webhook'].getWaiting();
    const mine = jobs.filter(({ data }) => data.webhook_id === webhookId);
    expect(mine.flatMap(({ data }) => data.delivery_ids)).toHaveLength(20);
    await Promise.all(mine.map(({ data }) => deliverWebhook.handle(data, ctx)));
    expect(receiver.received.map(({ event }) => event.id).toSorted()).toEqual(events.toSorted());
  });
});

describe('a wake-up', () => {
  async function myJobs(webhookId: string) {
    await ctx.queues.settled();
    const jobs = await ctx.queues.byName['deliver-webhook'].getWaiting();
    return jobs.filter(({ data }) => data.webhook_id === webhookId).map(({ data }) => data);
  }

  it('is one for what a commit makes due at a webhook, and none is added while its job lives', async () => {
    const { _id: webhookId } = await makeWebhook(ctx, orgId, receiver.url);
    await raise(ctx, orgId, 30);
    const sizes = async () => (await myJobs(webhookId)).map(({ delivery_ids }) => delivery_ids.length);
    expect((await sizes()).toSorted((a, b) => a - b)).toEqual([10, 20]);
    clock.advance(5_000);
    await sweepOnce(ctx);
    expect((await sizes()).toSorted((a, b) => a - b)).toEqual([10, 20]);
  });

  it('that comes again sends only what was not recorded', async () => {
    const { _id: webhookId } = await makeWebhook(ctx, orgId, receiver.url);
    const [first = '', ...others] = await raise(ctx, orgId, 5);
    const [job] = await myJobs(webhookId);
    if (!job) throw new Error('no job');
    await attemptAllDue(ctx, first);
    await deliverWebhook.handle(job, ctx);
    await deliverWebhook.handle(job, ctx);
    const ids = receiver.received.map(({ event }) => event.id);
    expect(ids.toSorted()).toEqual([first, ...others].toSorted());
  });

  it('leaves to the sweeper what it could not attempt, after all others', async () => {
    const { _id: webhookId } = await makeWebhook(ctx, orgId, receiver.url);
    const events = await raise(ctx, orgId, 5);
    const [job] = await myJobs(webhookId);
    if (!job) throw new Error('no job');
    const submit: typeof ctx.lanes.submit = async (key, item, lane) => {
      const isFirst = JSON.stringify(item).includes(job.delivery_ids[0] ?? '-');
      if (key === 'attempts' && isFirst) throw new Error('this one cannot be read');
      return ctx.lanes.submit(key, item, lane);
    };
    const faulty = { ...ctx, lanes: { ...ctx.lanes, submit } };
    await expect(deliverWebhook.handle(job, faulty)).rejects.toThrow('this one cannot be read');
    expect(receiver.received).toHaveLength(4);
    clock.advance(5_000);
    await ctx.queues.byName['deliver-webhook'].remove((await findQueued(webhookId))[0]?.wake ?? '');
    await sweepOnce(ctx);
    const [again] = await myJobs(webhookId);
    expect(again).toEqual({ webhook_id: webhookId, delivery_ids: [job.delivery_ids[0]], announced: false });
    await deliverWebhook.handle(job, ctx);
    expect(receiver.received.map(({ event }) => event.id).toSorted()).toEqual(events.toSorted());
  });

  async function findQueued(webhookId: string) {
    return ctx.db.queuedDeliveries.find({ webhook_id: webhookId }).lean();
  }

  it('never has more than 128 sent that are not recorded', async () => {
    const store = Promise.withResolvers<void>();
    const submit: typeof ctx.lanes.submit = async (key, item, lane) => {
      if (key === 'delivery-outcomes') await store.promise;
      return ctx.lanes.submit(key, item, lane);
    };
    const stalled = { ...ctx, lanes: { ...ctx.lanes, submit } };
    const { _id: webhookId } = await makeWebhook(ctx, orgId, receiver.url);
    for (let index = 0; index < 10; index += 1) await raise(ctx, orgId, 20);
    const jobs = await myJobs(webhookId);
    const handled = Promise.all(jobs.map((job) => deliverWebhook.handle(job, stalled)));
    await until(() => receiver.received.length >= 128);
    // Another delivery's whole way, so that one more would have had the time for its own.
    const neighbour = await makeTenant(ctx);
    await makeWebhook(ctx, neighbour.orgId, `${receiver.url}/neighbour`);
    const [event = ''] = await raise(ctx, neighbour.orgId);
    await attemptAllDue(ctx, event);
    expect(receiver.received).toHaveLength(129);
    store.resolve();
    await handled;
    expect(receiver.received).toHaveLength(201);
  });
});

describe('the log', () => {
  it('has what is finished and what is not in one order, each once, over pages', async () => {
    const webhook = await makeWebhook(ctx, orgId, receiver.url);
    const events: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      events.push(...(await raise(ctx, orgId)));
      clock.advance(10);
    }
    for (const [index, event] of events.entries()) if (index % 2 === 0) await attemptAllDue(ctx, event);
    const seen: [string, string][] = [];
    let after: Position | null = null;
    for (let hasMore = true; hasMore; ) {
      const page = await listDeliveries(ctx, webhook, {}, { order: 'desc', limit: 4, after, total: null });
      seen.push(...page.rows.map(({ event_id, status }): [string, string] => [event_id, status]));
      expect(page.total).toBe(6);
      ({ hasMore, last: after } = page);
    }
    const statuses = events.map((id, index): [string, string] => [id, index % 2 ? 'pending' : 'succeeded']);
    expect(seen).toEqual(statuses.toReversed());
  });
});

describe('a failing webhook', () => {
  async function exhaust(count = 1): Promise<string[]> {
    receiver.behave({ status: 410 });
    const events = await raise(ctx, orgId, count);
    for (const waitMs of [0, 30_000, 300_000, 1_800_000, 7_200_000]) {
      clock.advance(waitMs);
      await attemptAllDue(ctx);
    }
    return events;
  }
  async function listed() {
    const [one] = await listWebhooks(ctx, orgId);
    if (!one) throw new Error('no webhook');
    return { status: one.webhook.status, enabled: one.webhook.enabled, held: one.held };
  }

  it('is marked once when two deliveries fail together, and mails the admins once', async () => {
    const smtp = await startSmtp();
    const mailing = { ...ctx, config: { ...ctx.config, smtpUrl: smtp.url } };
    await ctx.db.organizations.updateOne({ _id: orgId }, { $set: { admin_emails: ['admin@example.com'] } });
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    await exhaust(2);
    expect(await listed()).toEqual({ status: 'failing', enabled: true, held: 0 });
    expect(receiver.received).toHaveLength(10);
    await alertAdmin.handle({ webhook_id: _id }, mailing);
    await alertAdmin.handle({ webhook_id: _id }, mailing);
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]).toContain(_id);
    expect(smtp.mails[0]).toContain('admin@example.com');
    expect(smtp.mails[0]).not.toContain(SECRET);
    await smtp.close();
  });

  it('tries the mail again until a server takes it', async () => {
    const mailing = { ...ctx, config: { ...ctx.config, smtpUrl: 'smtp://127.0.0.1:1' } };
    await ctx.db.organizations.updateOne({ _id: orgId }, { $set: { admin_emails: ['admin@example.com'] } });
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    await exhaust();
    await alertAdmin.handle({ webhook_id: _id }, mailing);
    const task = await ctx.db.webhookTasks.findById(`alert-admin ${_id}`).lean();
    expect(task?.due_at).toEqual(new Date(clock.now() + 60_000));
    const smtp = await startSmtp();
    await alertAdmin.handle({ webhook_id: _id }, { ...ctx, config: { ...ctx.config, smtpUrl: smtp.url } });
    expect(smtp.mails).toHaveLength(1);
    await smtp.close();
  });

  it('holds what is unfinished and what is new, and sends it in order once it is enabled, each from attempt 1', async () => {
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    const unfinished = await raise(ctx, orgId, 3);
    clock.advance(60_000);
    const [exhausted = ''] = await exhaustBeside(unfinished);
    await holdWebhook.handle({ webhook_id: _id }, ctx);
    const during: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      during.push(...(await raise(ctx, orgId, 2)));
      clock.advance(1);
    }
    expect(await attemptAllDue(ctx)).toBe(0);
    expect((await listed()).held).toBe(13);
    receiver.received.length = 0;
    receiver.behave({ status: 200 });
    await enableWebhook(ctx, orgId, _id);
    await enableWebhook(ctx, orgId, _id);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    const ids = receiver.received.map(({ event }) => event.id);
    expect(ids).toEqual([...unfinished, ...during]);
    expect(receiver.received.every(({ headers }) => headers['x-service-attempt'] === '1')).toBe(true);
    expect(await listed()).toEqual({ status: 'active', enabled: true, held: 0 });
    expect((await readDelivery(ctx, exhausted)).status).toBe('exhausted');
    const statuses = await Promise.all(ids.map(async (id) => (await readDelivery(ctx, id)).status));
    expect(new Set(statuses)).toEqual(new Set(['succeeded']));
  });

  /** Four attempts of these have failed when another event exhausts the webhook. */
  async function exhaustBeside(unfinished: string[]): Promise<string[]> {
    await ctx.db.queuedDeliveries.updateMany(
      { webhook_id: (await readDelivery(ctx, unfinished[0] ?? '')).webhook_id, state: 'pending' },
      { $set: { at: clock.now() + 10_000_000 } },
    );
    return exhaust();
  }

  it('also sends what a transaction held that began before it was enabled', async () => {
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    await exhaust();
    receiver.behave({ status: 200 });
    await enableWebhook(ctx, orgId, _id);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    await ctx.db.webhooks.updateOne({ _id }, { $set: { status: 'failing' } });
    const [late = ''] = await raise(ctx, orgId);
    await ctx.db.webhooks.updateOne({ _id }, { $set: { status: 'active' } });
    clock.advance(120_000);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    expect((await readDelivery(ctx, late)).status).toBe('succeeded');
    expect(await ctx.db.webhookTasks.countDocuments({ _id: `drain-webhook ${_id}` })).toBe(0);
  });

  it('fails again when the held ones fail again, and keeps them', async () => {
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    await exhaust();
    const held = await raise(ctx, orgId, 2);
    await enableWebhook(ctx, orgId, _id);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    expect(await listed()).toMatchObject({ status: 'active', held: 0 });
    for (const waitMs of [30_000, 300_000, 1_800_000, 7_200_000]) {
      clock.advance(waitMs);
      await attemptAllDue(ctx);
    }
    expect((await listed()).status).toBe('failing');
    const statuses = await Promise.all(held.map(async (id) => (await readDelivery(ctx, id)).status));
    expect(new Set(statuses)).toEqual(new Set(['exhausted']));
  });
});

describe('redelivery and removal', () => {
  it('sends the same bytes again from attempt 1, and logs both', async () => {
    const webhook = await makeWebhook(ctx, orgId, receiver.url);
    const [eventId = ''] = await raise(ctx, orgId);
    await attemptAllDue(ctx);
    const { _id } = await readDelivery(ctx, eventId);
    expect((await redeliver(ctx, webhook, _id)).status).toBe('pending');
    await attemptAllDue(ctx);
    const [first, second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    expect((await readDelivery(ctx, eventId)).attempts.map(({ number }) => number)).toEqual([1, 1]);
  });

  it('cancels what a deleted webhook had not finished', async () => {
    receiver.behave({ status: 500 });
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    const [eventId = ''] = await raise(ctx, orgId);
    await attemptAllDue(ctx);
    await removeWebhook(ctx, orgId, _id);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    expect(await readDelivery(ctx, eventId)).toMatchObject({ status: 'cancelled', next_attempt_at: null });
    clock.advance(30_000);
    expect(await attemptAllDue(ctx)).toBe(0);
    expect(receiver.received).toHaveLength(1);
  });

  it('cancels what a deleted webhook held, also what a transaction holds that began before', async () => {
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    await ctx.db.webhooks.updateOne({ _id }, { $set: { status: 'failing' } });
    const [before = ''] = await raise(ctx, orgId);
    const planned = Promise.withResolvers<void>();
    const drained = Promise.withResolvers<void>();
    const late = inTransaction(ctx.db, async (transaction) => {
      const cause = { cause: ['late'], type: 'session.started' as const, org_id: orgId };
      const [event] = await recordEvents(
        ctx,
        [{ ...cause, ts: new Date(clock.now()), data: {} }],
        transaction,
      );
      planned.resolve();
      await drained.promise;
      return event?._id ?? '';
    });
    await planned.promise;
    await removeWebhook(ctx, orgId, _id);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    expect((await readDelivery(ctx, before)).status).toBe('cancelled');
    drained.resolve();
    expect((await readDelivery(ctx, await late)).status).toBe('held');
    clock.advance(120_000);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    expect((await readDelivery(ctx, await late)).status).toBe('cancelled');
    expect(await ctx.db.webhookTasks.countDocuments({ webhook_id: _id })).toBe(0);
    expect(receiver.received).toHaveLength(0);
  });

  it('cancels what a deleted webhook held also when another drain of it ends at that moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { _id } = await makeWebhook(ctx, orgId, receiver.url);
      await ctx.db.webhooks.updateOne({ _id }, { $set: { status: 'failing' } });
      await raise(ctx, orgId, 3);
      await enableWebhook(ctx, orgId, _id);
      // It fails again before anything was drained.
      await ctx.db.webhooks.updateOne({ _id }, { $set: { status: 'failing' } });
      await Promise.all([drainWebhook.handle({ webhook_id: _id }, ctx), removeWebhook(ctx, orgId, _id)]);
      // Until nothing can come any more, the task is there: whoever dies, the sweeper wakes it.
      expect(await ctx.db.webhookTasks.findById(`drain-webhook ${_id}`).lean()).not.toBeNull();
      await drainWebhook.handle({ webhook_id: _id }, ctx);
      expect(await ctx.db.queuedDeliveries.countDocuments({ webhook_id: _id })).toBe(0);
    }
  });

  it('cancels a delivery that was planned while its webhook was deleted', async () => {
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    const [eventId = ''] = await raise(ctx, orgId);
    await ctx.db.webhooks.deleteOne({ _id });
    await attemptAllDue(ctx);
    expect((await readDelivery(ctx, eventId)).status).toBe('cancelled');
    expect(receiver.received).toHaveLength(0);
  });

  it('forgets deliveries at the end of the retention, and no others', async () => {
    await makeWebhook(ctx, orgId, receiver.url);
    const [old = ''] = await raise(ctx, orgId);
    clock.advance(30 * 86_400_000);
    const [fresh = ''] = await raise(ctx, orgId);
    await purge(ctx);
    expect(await findDeliveries(ctx, { event_id: old })).toHaveLength(1);
    clock.advance(1);
    await purge(ctx);
    expect(await findDeliveries(ctx, { event_id: old })).toEqual([]);
    expect(await findDeliveries(ctx, { event_id: fresh })).toHaveLength(1);
    // One that is finished, and one that is held.
    await attemptAllDue(ctx, fresh);
    await ctx.db.webhooks.updateOne({ org_id: orgId }, { $set: { status: 'failing' } });
    const [held = ''] = await raise(ctx, orgId);
    expect((await readDelivery(ctx, held)).status).toBe('held');
    clock.advance(30 * 86_400_000);
    await purge(ctx);
    expect(await findDeliveries(ctx, { event_id: fresh })).toEqual([]);
    expect(await findDeliveries(ctx, { event_id: held })).toHaveLength(1);
    clock.advance(1);
    await purge(ctx);
    expect(await findDeliveries(ctx, { event_id: held })).toEqual([]);
  });
});

async function startSmtp() {
  const mails: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, _session, done) => {
      void text(stream).then((mail) => {
        mails.push(mail);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
