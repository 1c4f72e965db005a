import { expect, test } from 'vitest';
import { recoverDeliveriesJob } from '../../../../../../shared/core/events/webhooks/deliveries/jobs.ts';
import {
  deliveryRows,
  finished,
  queuedDeliveryRows,
} from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import {
  holdExhausted,
  recoverDeliveries,
} from '../../../../../../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { readDue } from '../../../../../../shared/platform/due/plan-due.ts';
import { makeTenant } from '../../../../../support/factories.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { makeWebhook, raise } from '../../../../../support/webhooks.ts';

const { ctx } = await storesFixture();

test('of two recoveries that are asked for before a worker begins, the one that reaches further back holds', async () => {
  const nowMs = ctx.clock.now();
  const [early, late] = [nowMs - 7_200_000, nowMs - 3_600_000];
  for (const asked of [
    [early, late],
    [late, early],
  ]) {
    const { orgId } = await makeTenant(ctx);
    const { _id } = await makeWebhook(ctx, orgId, 'http://127.0.0.1:9/');
    for (const since of asked) await recoverDeliveries(ctx, orgId, _id, since);
    expect(await readDue(ctx, recoverDeliveriesJob, _id)).toMatchObject({ since: new Date(early) });
  }
});

test('as many are held as were counted, also more of one moment than are held in one step', async () => {
  const { orgId } = await makeTenant(ctx);
  const { _id: webhook_id } = await makeWebhook(ctx, orgId, 'http://127.0.0.1:9/');
  const since = ctx.clock.now();
  await raise(ctx, orgId, 450);
  const queued = await queuedDeliveryRows(ctx).find({ webhook_id }).toArray();
  expect(new Set(queued.map(({ created_at }) => created_at.getTime())).size).toBe(1);
  const givenUp = queued.map((row) => finished(row, 'exhausted', ctx.clock.now()));
  await deliveryRows(ctx).insertMany(givenUp);
  await queuedDeliveryRows(ctx).deleteMany({ webhook_id });
  expect(await recoverDeliveries(ctx, orgId, webhook_id, since)).toBe(450);
  await holdExhausted(ctx, webhook_id);
  expect(await queuedDeliveryRows(ctx).countDocuments({ webhook_id, state: 'held' })).toBe(450);
});
