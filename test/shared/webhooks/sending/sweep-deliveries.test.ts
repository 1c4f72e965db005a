import { afterAll, beforeAll, expect, test } from 'vitest';
import { type QueuedDelivery, queuedDeliveryRows } from '../../../../shared/webhooks/deliveries/model.ts';
import { sweepDeliveries } from '../../../../shared/webhooks/sending/sweep-deliveries.ts';
import { openTestContext, type TestContext } from '../../../support/harness.ts';

let ctx: TestContext;
beforeAll(async () => {
  ctx = await openTestContext();
});
afterAll(() => ctx.close());

const dueAt = (webhook_id: string, at: number): QueuedDelivery => ({
  _id: `dlv_${webhook_id}_${at}`,
  event_id: `evt_${at}`,
  webhook_id,
  org_id: 'org_swept',
  type: 'session.ended',
  body: '{}',
  state: 'pending',
  at,
  round: 1,
  attempt: 1,
  wake: `${webhook_id}-${at}`,
  position: at,
  attempts: [],
  created_at: new Date(at),
});

test('the list of one webhook hides none of another, also when it is longer than what is read at once', async () => {
  const lists = [...[1, 2, 3, 4, 5, 6].map((at) => dueAt('whk_long', at)), dueAt('whk_short', 7)];
  await queuedDeliveryRows(ctx).insertMany(lists);
  expect(await sweepDeliveries(ctx, 4)).toBe(5);
});
