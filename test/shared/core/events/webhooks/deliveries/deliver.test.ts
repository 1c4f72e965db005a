import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook } from 'usage-governor/verify';
import { describe, expect, it } from 'vitest';
import { eventRows } from '../../../../../../shared/core/events/record/model.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { createWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { inTransaction } from '../../../../../../shared/platform/mongo/transaction.ts';
import { connectRedis } from '../../../../../../shared/platform/redis/connect.ts';
import { deliverWebhook } from '../../../../../../workers/index.ts';
import { startWorker } from '../../../../../../workers/worker.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { until } from '../../../../../support/harness.ts';
import {
  attemptAllDue,
  findDeliveries,
  raise,
  readDelivery,
  SECRET,
  writeEvent,
} from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;
const START = clock.now();

describe('a delivery', () => {
  it('arrives signed as soon as its event has committed, and is recorded', async () => {
    const connection = connectRedis(ctx.config, 'worker');
    const worker = startWorker(deliverWebhook, ctx, connection);
    await worker.waitUntilReady();
    const { _id: webhookId } = await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId, 1, { user_id: 'ada' });
    await until(() => fx.receiver.received.length > 0);
    const delivery = await until(async () => {
      const row = await readDelivery(ctx, eventId);
      return row.status === 'succeeded' ? row : null;
    });
    await worker.close();
    connection.disconnect();
    const [request] = fx.receiver.received;
    if (!request) throw new Error('nothing arrived');
    expect(request.event).toEqual({
      id: eventId,
      type: 'session.started',
      org_id: fx.orgId,
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
    const pending = { webhook_id: webhookId, state: 'pending' } as const;
    expect(await queuedDeliveryRows(ctx).countDocuments(pending)).toBe(0);
  });

  it('is verified by the Standard Webhooks libraries, also with a whsec_ secret', async () => {
    const whsec = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const webhook = { url: fx.receiver.url, events: ['session.started' as const] };
    for (const secret of [SECRET, whsec]) await createWebhook(ctx, fx.orgId, { ...webhook, secret });
    clock.set(Date.now());
    await raise(ctx, fx.orgId);
    await attemptAllDue(ctx);
    const verifiedBy = (secret: string) =>
      fx.receiver.received.filter(({ body, headers }) => {
        const library =
          secret === SECRET ? new StandardWebhook(secret, { format: 'raw' }) : new StandardWebhook(secret);
        try {
          library.verify(body, headers as Record<string, string>);
          return verifyWebhook(body, headers['x-service-signature'], secret);
        } catch {
          return false;
        }
      });
    expect(fx.receiver.received).toHaveLength(2);
    expect(verifiedBy(SECRET)).toHaveLength(1);
    expect(verifiedBy(whsec)).toHaveLength(1);
  });

  it('goes to each webhook that subscribes and to no other', async () => {
    const other = await fx.tenant();
    await fx.webhook(`${fx.receiver.url}/a`, ['session.started', 'session.ended']);
    await fx.webhook(`${fx.receiver.url}/b`, ['budget.warning']);
    await other.webhook(`${fx.receiver.url}/c`);
    await raise(ctx, fx.orgId);
    await attemptAllDue(ctx);
    expect(fx.receiver.received.map(({ path }) => path)).toEqual(['/hook/a']);
  });

  it('is not planned when the change that raised it is rolled back', async () => {
    await fx.webhook(fx.receiver.url);
    const event = {
      cause: [fx.orgId],
      concerns: {},
      type: 'session.started' as const,
      org_id: fx.orgId,
      ts: new Date(clock.now()),
      data: {},
    };
    const failed = inTransaction(ctx.db, async (transaction) => {
      await writeEvent(ctx, event, transaction);
      throw new Error('the change fails');
    });
    await expect(failed).rejects.toThrow('the change fails');
    expect(await findDeliveries(ctx, { org_id: fx.orgId })).toEqual([]);
    expect(await eventRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(0);
    await ctx.queues.drained();
    expect(await attemptAllDue(ctx)).toBe(0);
  });
});
