import { createServer } from 'node:http';
import { plansOf } from '../shared/core/credits/meter/plans.ts';
import { receivePublished } from '../shared/core/events/webhooks/deliveries/published.ts';
import { cancelWaiters } from '../shared/core/events/webhooks/sending/endpoint.ts';
import { collectGarbage } from '../shared/platform/basics/collect-garbage.ts';
import { readConfig } from '../shared/platform/basics/config.ts';
import { stopOnSignal } from '../shared/platform/basics/shutdown.ts';
import { startOrExit } from '../shared/platform/basics/start-fault.ts';
import { openContext } from '../shared/platform/context/context.ts';
import { refuseUnprepared } from '../shared/platform/mongo/schema.ts';
import { connectQueues } from '../shared/platform/redis/connect.ts';
import { registerMetrics } from '../shared/tables/metrics.ts';
import { WINGS } from '../shared/tables/wings.ts';
import * as jobs from './index.ts';
import { answerProbe } from './probe.ts';
import { startProjector } from './project-ledger.ts';
import { runWhileClockIsRight } from './run-while-clock-is-right.ts';
import { startSweeper } from './sweeper.ts';
import { closeWorker, startWorker } from './worker.ts';

const ctx = await startOrExit('worker', async () => {
  const opened = await openContext(readConfig(process.env), { process: 'worker', wings: WINGS });
  await refuseUnprepared(opened.db);
  plansOf(opened);
  return opened;
});
const { config } = ctx;
registerMetrics(ctx);
await collectGarbage();
const connection = connectQueues(config, 'worker');
const stopJobs = runWhileClockIsRight(ctx, startJobs);
const stopProjector = startProjector(ctx);
const probe = createServer((req, res) => void answerProbe(ctx, req, res));

stopOnSignal(ctx.log, async () => {
  probe.close();
  await Promise.all([stopJobs(), stopProjector()]);
  connection.disconnect();
  await ctx.close();
});

probe.listen(config.workerPort, config.host, () => ctx.log.info(probe.address(), 'worker runs'));

/** Everything that a worker does by the clock. The projector goes by that of Redis. */
function startJobs(): () => Promise<void> {
  const workers = Object.values(jobs).map((row) => startWorker(row, ctx, connection));
  const stopReceiving = receivePublished(ctx);
  const stopSweeper = startSweeper(ctx);
  return async () => {
    await stopSweeper();
    cancelWaiters(ctx);
    stopReceiving();
    await Promise.all(workers.map(closeWorker));
  };
}
