import { beforeEach, describe, expect, it } from 'vitest';
import { expireHeld } from '../../../../../../shared/core/events/webhooks/deliveries/expire-held.ts';
import { listDeliveries } from '../../../../../../shared/core/events/webhooks/deliveries/list-deliveries.ts';
import { listWebhooks } from '../../../../../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { recordOutcome } from '../../../../../../shared/core/events/webhooks/deliveries/record-outcome.ts';
import { enableWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { updateWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import { drainDeliveries } from '../../../../../../shared/core/events/webhooks/sending/drain-deliveries.ts';
import { dueRows } from '../../../../../../shared/platform/due/model.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { beforeBatches, standingStillAfter } from '../../../../../support/interleave.ts';
import {
  attemptAllDue,
  findDeliveries,
  raise,
  readDelivery,
  statusesOf,
} from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;

it('the oldest beyond what a webhook may hold expire and are shown; others keep theirs', async () => {
  const { orgId } = fx;
  const webhook = await fx.webhook('http://127.0.0.1:1/');
  const calm = await fx.tenant();
  await calm.webhook('http://127.0.0.1:1/');
  await webhookRows(ctx).updateMany({}, { $set: { status: 'failing' } });
  const events: string[] = [];
  for (let index = 0; index < 6; index += 1) {
    events.push(...(await raise(ctx, orgId, 2)));
    clock.advance(1);
  }
  const few = await raise(ctx, calm.orgId, 5);
  expect(await expireHeld(ctx, 7)).toBe(5);
  expect(await expireHeld(ctx, 7)).toBe(0);
  expect(await statusesOf(ctx, events)).toEqual([...Array(5).fill('expired'), ...Array(7).fill('held')]);
  expect(await statusesOf(ctx, few)).toEqual(Array(5).fill('held'));
  expect((await listWebhooks(ctx, orgId))[0]?.held).toBe(7);
  const page = { order: 'asc', limit: 20, after: null, total: null } as const;
  const log = await listDeliveries(ctx, webhook, { status: 'expired' }, page);
  // Events of one commit have one time, and stand in the log by their ids.
  expect(log.rows.map(({ event_id }) => event_id).toSorted()).toEqual(events.slice(0, 5).toSorted());
});

it.each([{ status: 'failing' as const }, { enabled: false }])(
  'what was planned before its webhook was %o is held once its attempt finds that, and nothing is sent',
  async (change) => {
    const { _id } = await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    // Its deliveries are not held yet: the job that does so has not run.
    await webhookRows(ctx).updateOne({ _id }, { $set: change });
    expect((await readDelivery(ctx, eventId)).status).toBe('pending');
    await attemptAllDue(ctx, eventId);
    await drainDeliveries(ctx, _id);
    expect((await readDelivery(ctx, eventId)).status).toBe('held');
    expect(fx.receiver.received).toEqual([]);
  },
);

it('what a worker finds paused that then stands still is not held once its webhook was enabled meanwhile', async () => {
  const { orgId } = fx;
  const { _id } = await fx.webhook(fx.receiver.url);
  const [eventId = ''] = await raise(ctx, orgId);
  await webhookRows(ctx).updateOne({ _id }, { $set: { enabled: false } });
  const found = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow = beforeBatches(ctx, (key) => {
    if (key !== 'delivery-outcomes') return;
    found.resolve();
    return goOn.promise;
  });
  const attempt = attemptAllDue(slow, eventId);
  await found.promise;
  await enableWebhook(ctx, orgId, _id);
  clock.advance(120_000);
  await drainDeliveries(ctx, _id);
  goOn.resolve();
  await attempt;
  await drainDeliveries(ctx, _id);
  await attemptAllDue(ctx, eventId);
  expect((await readDelivery(ctx, eventId)).status).toBe('succeeded');
});

describe('a worker that stands still while it expires what is too much', () => {
  const MOST = 7;

  let webhookId: string;
  beforeEach(async () => {
    ({ _id: webhookId } = await fx.webhook(fx.receiver.url));
    await webhookRows(ctx).updateOne({ _id: webhookId }, { $set: { enabled: false } });
    for (let index = 0; index < 10; index += 1) {
      await raise(ctx, fx.orgId);
      clock.advance(1);
    }
  });

  async function statuses(): Promise<Record<string, number>> {
    const groups = Object.groupBy(await findDeliveries(ctx, { org_id: fx.orgId }), ({ status }) => status);
    return Object.fromEntries(Object.entries(groups).map(([status, rows]) => [status, rows.length]));
  }

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
  const { orgId } = fx;
  const { _id: webhookId } = await fx.webhook('http://127.0.0.1:1/');
  const [eventId = ''] = await raise(ctx, orgId);
  const { _id: deliveryId } = await readDelivery(ctx, eventId);
  const drain = { _id: `drain-webhook ${webhookId}`, kind: 'drain-webhook', key: webhookId, org_id: orgId };
  await dueRows(ctx).insertOne({ ...drain, due_at: new Date(clock.now()) });
  const slow = standingStillAfter(ctx, dueRows, () => drainDeliveries(ctx, webhookId));
  const dueMs = clock.now() + 60_000;
  const intent = { deliveryId, webhookId, round: 1, attempt: 1, isDrained: false };
  await recordOutcome(slow, { ...intent, kind: 'postpone', dueMs });
  expect((await readDelivery(ctx, eventId)).status).toBe('held');
  expect(await dueRows(ctx).findOne({ _id: drain._id })).toMatchObject({ due_at: new Date(dueMs) });
});
