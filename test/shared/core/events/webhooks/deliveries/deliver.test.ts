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
import { makeTenant } from '../../../../../support/factories.ts';
import { until } from '../../../../../support/harness.ts';
import { START, webhookFixture } from '../../../../../support/webhook-fixture.ts';
import {
  attemptAllDue,
  findDeliveries,
  makeWebhook,
  raise,
  readDelivery,
  SECRET,
  writeEvent,
} from '../../../../../support/webhooks.ts';

const fixture = webhookFixture();
const { clock } = fixture;

describe('a delivery', () => {
  it('arrives signed as soon as its event has committed, and is recorded', async () => {
    const connection = connectRedis(fixture.ctx.config, 'worker');
    const worker = startWorker(deliverWebhook, fixture.ctx, connection);
    await worker.waitUntilReady();
    const { _id: webhookId } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const [eventId = ''] = await raise(fixture.ctx, fixture.orgId, 1, { user_id: 'ada' });
    await until(() => fixture.receiver.received.length > 0);
    const delivery = await until(async () => {
      const row = await readDelivery(fixture.ctx, eventId);
      return row.status === 'succeeded' ? row : null;
    });
    await worker.close();
    connection.disconnect();
    const [request] = fixture.receiver.received;
    if (!request) throw new Error('nothing arrived');
    expect(request.event).toEqual({
      id: eventId,
      type: 'session.started',
      org_id: fixture.orgId,
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
    expect(
      await queuedDeliveryRows(fixture.ctx).countDocuments({ webhook_id: webhookId, state: 'pending' }),
    ).toBe(0);
  });

  it('is verified by the Standard Webhooks libraries, also with a whsec_ secret', async () => {
    const whsec = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    for (const secret of [SECRET, whsec]) {
      await createWebhook(fixture.ctx, fixture.orgId, {
        url: fixture.receiver.url,
        events: ['session.started'],
        secret,
      });
    }
    clock.set(Date.now());
    await raise(fixture.ctx, fixture.orgId);
    await attemptAllDue(fixture.ctx);
    const verifiedBy = (secret: string) =>
      fixture.receiver.received.filter(({ body, headers }) => {
        const library =
          secret === SECRET ? new StandardWebhook(secret, { format: 'raw' }) : new StandardWebhook(secret);
        try {
          library.verify(body, headers as Record<string, string>);
          return verifyWebhook(body, headers['x-service-signature'], secret);
        } catch {
          return false;
        }
      });
    expect(fixture.receiver.received).toHaveLength(2);
    expect(verifiedBy(SECRET)).toHaveLength(1);
    expect(verifiedBy(whsec)).toHaveLength(1);
  });

  it('goes to each webhook that subscribes and to no other', async () => {
    const other = await makeTenant(fixture.ctx);
    await makeWebhook(fixture.ctx, fixture.orgId, `${fixture.receiver.url}/a`, [
      'session.started',
      'session.ended',
    ]);
    await makeWebhook(fixture.ctx, fixture.orgId, `${fixture.receiver.url}/b`, ['budget.warning']);
    await makeWebhook(fixture.ctx, other.orgId, `${fixture.receiver.url}/c`);
    await raise(fixture.ctx, fixture.orgId);
    await attemptAllDue(fixture.ctx);
    expect(fixture.receiver.received.map(({ path }) => path)).toEqual(['/hook/a']);
  });

  it('is not planned when the change that raised it is rolled back', async () => {
    await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const event = {
      cause: [fixture.orgId],
      concerns: {},
      type: 'session.started' as const,
      org_id: fixture.orgId,
      ts: new Date(clock.now()),
      data: {},
    };
    const failed = inTransaction(fixture.ctx.db, async (transaction) => {
      await writeEvent(fixture.ctx, event, transaction);
      throw new Error('the change fails');
    });
    await expect(failed).rejects.toThrow('the change fails');
    expect(await findDeliveries(fixture.ctx, { org_id: fixture.orgId })).toEqual([]);
    expect(await eventRows(fixture.ctx).countDocuments({ org_id: fixture.orgId })).toBe(0);
    await fixture.ctx.queues.drained();
    expect(await attemptAllDue(fixture.ctx)).toBe(0);
  });
});
