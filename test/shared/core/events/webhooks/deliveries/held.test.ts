import { beforeEach, describe, expect, it } from 'vitest';
import { expireHeld } from '../../../../../../shared/core/events/webhooks/deliveries/expire-held.ts';
import { listWebhooks } from '../../../../../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { recordOutcome } from '../../../../../../shared/core/events/webhooks/deliveries/record-outcome.ts';
import { enableWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { type Webhook, webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { updateWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import { drainDeliveries } from '../../../../../../shared/core/events/webhooks/sending/drain-deliveries.ts';
import { dueRows } from '../../../../../../shared/platform/due/model.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { beforeBatches, standingStillAfter } from '../../../../../support/interleave.ts';
import { attemptAllDue, findDeliveries, raise, readDelivery } from '../../../../../support/webhooks.ts';

const MOST = 7;
const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;
let webhookId: string;
beforeEach(async () => {
  ({ _id: webhookId } = await fx.webhook(fx.receiver.url));
});

const change = (fields: Partial<Webhook>) => webhookRows(ctx).updateOne({ _id: webhookId }, { $set: fields });
const statusOf = async (eventId: string) => (await readDelivery(ctx, eventId)).status;

/** Ten events, of which each two are of one moment. */
async function raiseTen(): Promise<string[]> {
  const events: string[] = [];
  for (let pair = 0; pair < 5; pair += 1) {
    events.push(...(await raise(ctx, fx.orgId, 2)));
    clock.advance(1);
  }
  return events;
}

async function statuses(orgId = fx.orgId): Promise<Record<string, number>> {
  const groups = Object.groupBy(await findDeliveries(ctx, { org_id: orgId }), ({ status }) => status);
  return Object.fromEntries(Object.entries(groups).map(([status, rows]) => [status, rows.length]));
}

it('the oldest beyond what a webhook may hold expire; others keep theirs', async () => {
  const calm = await fx.tenant();
  const { _id } = await calm.webhook('http://127.0.0.1:1/');
  await change({ status: 'failing' });
  await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
  const events = await raiseTen();
  await raise(ctx, calm.orgId, 5);
  expect(await expireHeld(ctx, MOST)).toBe(3);
  expect(await expireHeld(ctx, MOST)).toBe(0);
  for (const oldest of events.slice(0, 3)) expect(await statusOf(oldest)).toBe('expired');
  expect([await statuses(), await statuses(calm.orgId)]).toEqual([{ held: 7, expired: 3 }, { held: 5 }]);
  expect((await listWebhooks(ctx, fx.orgId))[0]?.held).toBe(7);
});

it.each([{ status: 'failing' as const }, { enabled: false }])(
  'what was planned before its webhook was %o is held once its attempt finds that, and nothing is sent',
  async (fields) => {
    const [eventId = ''] = await raise(ctx, fx.orgId);
    // Its deliveries are not held yet: the job that does so has not run.
    await change(fields);
    expect(await statusOf(eventId)).toBe('pending');
    await attemptAllDue(ctx, eventId);
    await drainDeliveries(ctx, webhookId);
    expect(await statusOf(eventId)).toBe('held');
    expect(fx.receiver.received).toEqual([]);
  },
);

it('what a worker finds paused that then stands still is not held once its webhook was enabled meanwhile', async () => {
  const [eventId = ''] = await raise(ctx, fx.orgId);
  await change({ enabled: false });
  const found = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow = beforeBatches(ctx, (key) => {
    if (key !== 'delivery-outcomes') return;
    found.resolve();
    return goOn.promise;
  });
  const attempt = attemptAllDue(slow, eventId);
  await found.promise;
  await enableWebhook(ctx, fx.orgId, webhookId);
  clock.advance(120_000);
  await drainDeliveries(ctx, webhookId);
  goOn.resolve();
  await attempt;
  await drainDeliveries(ctx, webhookId);
  await attemptAllDue(ctx, eventId);
  expect(await statusOf(eventId)).toBe('succeeded');
});

describe('a worker that stands still while it expires what is too much', () => {
  beforeEach(async () => {
    await change({ enabled: false });
    await raiseTen();
  });

  // The second read is the count of the transaction, which then runs again.
  it.each([
    ['between its count and its first transaction', 1],
    ['within its transaction', 2],
  ])('expires nothing more when another worker did it %s', async (_when, reads) => {
    const slow = standingStillAfter(ctx, queuedDeliveryRows, () => expireHeld(ctx, MOST), reads);
    expect(await expireHeld(slow, MOST)).toBe(0);
    expect(await statuses()).toEqual({ held: 7, expired: 3 });
  });

  it('expires nothing of a webhook that was enabled and has sent some of it meanwhile', async () => {
    const { orgId } = fx;
    const slow = standingStillAfter(ctx, queuedDeliveryRows, async () => {
      await enableWebhook(ctx, orgId, webhookId);
      await drainDeliveries(ctx, webhookId, 0);
      await updateWebhook(ctx, orgId, webhookId, { enabled: false });
    });
    await expireHeld(slow, MOST);
    const { held = 0, succeeded = 0, expired = 0 } = await statuses();
    expect(succeeded).toBeGreaterThan(0);
    expect({ held, expired }).toEqual({ held: MOST, expired: 10 - MOST - succeeded });
  });
});

it('a mail that waits for its hour is drained then, also when the drain before it ends at that moment', async () => {
  const [eventId = ''] = await raise(ctx, fx.orgId);
  const { _id: deliveryId } = await readDelivery(ctx, eventId);
  const drain = {
    _id: `drain-webhook ${webhookId}`,
    kind: 'drain-webhook',
    key: webhookId,
    org_id: fx.orgId,
  };
  await dueRows(ctx).insertOne({ ...drain, due_at: new Date(clock.now()) });
  const slow = standingStillAfter(ctx, dueRows, () => drainDeliveries(ctx, webhookId));
  const dueMs = clock.now() + 60_000;
  const intent = { deliveryId, webhookId, round: 1, attempt: 1, isDrained: false };
  await recordOutcome(slow, { ...intent, kind: 'postpone', dueMs });
  expect(await statusOf(eventId)).toBe('held');
  expect(await dueRows(ctx).findOne({ _id: drain._id })).toMatchObject({ due_at: new Date(dueMs) });
});
