import { expect, test } from 'vitest';
import { recoverDeliveriesJob } from '../../../../../../shared/core/events/webhooks/deliveries/jobs.ts';
import { recoverDeliveries } from '../../../../../../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { readDue } from '../../../../../../shared/platform/due/plan-due.ts';
import { makeTenant } from '../../../../../support/factories.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { makeWebhook } from '../../../../../support/webhooks.ts';

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
