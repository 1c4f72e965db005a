import { readConfig } from '../../../shared/platform/basics/config.ts';
import { openContext } from '../../../shared/platform/context/context.ts';
import { connectQueues } from '../../../shared/platform/redis/connect.ts';
import { listen } from '../../../shared/webhooks/sending/published.ts';
import { deliverWebhook, retryWebhook } from '../../../workers/index.ts';
import { startSweeper } from '../../../workers/sweeper.ts';
import { startWorker } from '../../../workers/worker.ts';

/** A worker that ends itself by SIGKILL when the lane KILL_IN begins its batch number KILL_AT. */
const { QUEUE_PREFIX = '', KILL_IN = '', KILL_AT = '1' } = process.env;
const ctx = await openContext(readConfig(process.env), { process: 'worker', queuePrefix: QUEUE_PREFIX });
const lanes = { ...ctx.lanes };
let batches = 0;
ctx.lanes.submit = (key, item, lane) =>
  lanes.submit(key, item, {
    ...lane,
    run: async (items) => {
      if (key === KILL_IN) batches += 1;
      if (key === KILL_IN && batches === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL');
      return lane.run(items);
    },
  });
const connection = connectQueues(ctx.config, 'worker');
for (const handler of [deliverWebhook, retryWebhook]) startWorker(handler, ctx, connection);
listen(ctx);
startSweeper(ctx);
process.on('message', () => void lanes.idle().then(() => process.exit(0)));
process.send?.('ready');
