import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventRows } from '../../../../shared/events/model.ts';
import { inTransaction } from '../../../../shared/platform/mongo/transaction.ts';
import { connectRedis } from '../../../../shared/platform/redis/connect.ts';
import { queuedDeliveryRows } from '../../../../shared/webhooks/deliveries/model.ts';
import { createWebhook } from '../../../../shared/webhooks/endpoints/create-webhook.ts';
import { deliverWebhook } from '../../../../workers/index.ts';
import { startWorker } from '../../../../workers/worker.ts';
import { makeTenant } from '../../../support/factories.ts';
import { createTestClock, openTestContext, type TestContext, until } from '../../../support/harness.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';
import {
  attemptAllDue,
  findDeliveries,
  makeWebhook,
  raise,
  readDelivery,
  SECRET,
  writeEvent,
} from '../../../support/webhooks.ts';

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
    const worker = startWorker(deliverWebhook, ctx, connection);
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
    expect(await queuedDeliveryRows(ctx).countDocuments({ webhook_id: webhookId, state: 'pending' })).toBe(0);
  });

  it('is verified by the Standard Webhooks libraries, also with a whsec_ secret', async () => {
    const whsec = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    for (const secret of [SECRET, whsec]) {
      await createWebhook(ctx, orgId, { url: receiver.url, events: ['session.started'], secret });
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
      await writeEvent(ctx, event, transaction);
      throw new Error('the change fails');
    });
    await expect(failed).rejects.toThrow('the change fails');
    expect(await findDeliveries(ctx, { org_id: orgId })).toEqual([]);
    expect(await eventRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
    await ctx.queues.drained();
    expect(await attemptAllDue(ctx)).toBe(0);
  });
});
