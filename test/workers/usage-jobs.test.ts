import { it } from 'vitest';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { connectRedis } from '../../shared/platform/redis/connect.ts';
import { purgeOld, reconcileUsage } from '../../workers/index.ts';
import { sweepOnce } from '../../workers/sweeper.ts';
import { startWorker } from '../../workers/worker.ts';
import { makeTenant } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { recordAll } from '../support/usage.ts';

const { ctx } = await storesFixture();

it('schedules reconcile and purge by itself; the job puts damaged rollups right', async () => {
  const { orgId } = await makeTenant(ctx);
  await recordAll(ctx, orgId, [{ ts: ctx.clock.now() }]);
  await rollupRows(ctx).deleteMany({ org_id: orgId });
  const connection = connectRedis(ctx.config, 'worker');
  const workers = [reconcileUsage, purgeOld].map((handler) => startWorker(handler, ctx, connection));
  await sweepOnce(ctx);
  await until(async () => (await rollupRows(ctx).countDocuments({ org_id: orgId })) === 2, {
    what: 'the scheduled job to rebuild two rollups',
  });
  await Promise.all(workers.map((worker) => worker.close()));
  connection.disconnect();
});
