import { receivePublished } from '../../../shared/core/events/webhooks/deliveries/published.ts';
import { readConfig } from '../../../shared/platform/basics/config.ts';
import { openContext } from '../../../shared/platform/context/context.ts';
import { connectQueues } from '../../../shared/platform/redis/connect.ts';
import { WINGS } from '../../../shared/tables/wings.ts';
import { deliverWebhook, retryWebhook } from '../../../workers/index.ts';
import { startSweeper } from '../../../workers/sweeper.ts';
import { startWorker } from '../../../workers/worker.ts';

/** A worker that ends itself by SIGKILL when the batch key KILL_IN begins its batch number KILL_AT. */
const { QUEUE_PREFIX = '', KILL_IN = '', KILL_AT = '1' } = process.env;
const ctx = await openContext(readConfig(process.env), {
  process: 'worker',
  wings: WINGS,
  queuePrefix: QUEUE_PREFIX,
});
const batcher = { ...ctx.batcher };
let batches = 0;
ctx.batcher.submit = (key, item, batching) =>
  batcher.submit(key, item, {
    ...batching,
    run: async (items) => {
      if (key === KILL_IN) batches += 1;
      if (key === KILL_IN && batches === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL');
      return batching.run(items);
    },
  });
const connection = connectQueues(ctx.config, 'worker');
for (const handler of [deliverWebhook, retryWebhook]) startWorker(handler, ctx, connection);
receivePublished(ctx);
startSweeper(ctx);
process.on('message', () => void batcher.idle().then(() => process.exit(0)));
process.send?.('ready');
