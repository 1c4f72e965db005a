import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliverWebhook, retryWebhook } from '../../../workers/deliver-webhook.ts';
import { type JobHandler, startWorker } from '../../../workers/worker.ts';
import { connectRedis } from '../../../shared/redis/connect.ts';
import { makeTenant } from '../../factories.ts';
import { createTestClock, openTestContext, type TestContext, until } from '../../harness.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { attemptAllDue, makeWebhook, raise, readDelivery, SECRET } from './fixture.ts';

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
    const connection = connectRedis(ctx.config.redisUrl, 'worker');
    const worker = startWorker(deliverWebhook as unknown as JobHandler, ctx, connection, ctx.queuePrefix);
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
});
