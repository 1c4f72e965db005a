import { readConfig } from '../../shared/platform/basics/config.ts';
import { openContext } from '../../shared/platform/context/context.ts';
import { connectQueues } from '../../shared/platform/redis/connect.ts';
import { listen } from '../../shared/webhooks/sending/published.ts';
import { deliverWebhook, retryWebhook } from '../../workers/index.ts';
import { startSweeper } from '../../workers/sweeper.ts';
import { startWorker } from '../../workers/worker.ts';

/** The real worker of webhooks with another wait table: BENCH_WAITS_MS=0,2000,4000,8000,16000. */
const config = readConfig(process.env);
const opened = await openContext(config, { process: 'worker' });
const ctx = { ...opened, webhookWaitsMs: (process.env.BENCH_WAITS_MS ?? '').split(',').map(Number) };
const connection = connectQueues(config, 'worker');
for (const handler of [deliverWebhook, retryWebhook]) startWorker(handler, ctx, connection);
listen(ctx);
startSweeper(ctx);
process.send?.('ready');
