import { setTimeout as delay } from 'node:timers/promises';
import { plansOf } from '../shared/core/credits/meter/plans.ts';
import { keepKeysPublished } from '../shared/core/credits/receipts/publish-keys.ts';
import { signerOf } from '../shared/core/credits/receipts/signer.ts';
import { collectGarbage } from '../shared/platform/basics/collect-garbage.ts';
import { readConfig } from '../shared/platform/basics/config.ts';
import { stopOnSignal } from '../shared/platform/basics/shutdown.ts';
import { startOrExit } from '../shared/platform/basics/start-fault.ts';
import { openContext } from '../shared/platform/context/context.ts';
import { refuseUnprepared } from '../shared/platform/mongo/schema.ts';
import { waitUntilReady } from '../shared/platform/redis/connect.ts';
import { registerMetrics } from '../shared/tables/metrics.ts';
import { WINGS } from '../shared/tables/wings.ts';
import { createApi } from './app.ts';
import type { ApiState } from './basics/route.ts';
import { closeServer, createHttpServer } from './serve/server.ts';

/** For how long a new process waits for its connections to Redis before it listens. */
const REDIS_WAIT_MS = 5_000;

const ctx = await startOrExit('api', async () => {
  const opened = await openContext(readConfig(process.env), { process: 'api', wings: WINGS });
  await refuseUnprepared(opened.db);
  plansOf(opened);
  return opened;
});
const { config } = ctx;
registerMetrics(ctx);
const state: ApiState = { stopping: false };
const { app, shedder } = createApi(ctx, state);
const server = createHttpServer(app, config);
const stopPublishing = keepKeysPublished(ctx);

// Until a balancer has read from /readyz that this process ends, it goes on sending requests here.
const shutdownDelayMs = config.shutdownDelayS * 1_000;
const stop = async () => {
  state.stopping = true;
  await delay(shutdownDelayMs);
  await closeServer(server);
  shedder.stop();
  void stopPublishing();
  await ctx.close();
};
stopOnSignal(ctx.log, stop, shutdownDelayMs);

// After SIGNING_KEY_FILE was changed, a SIGHUP makes the new key sign at once.
process.on('SIGHUP', () => signerOf(ctx).reload());

await collectGarbage();
// Until then it would refuse spends. Without Redis it serves what it can.
await Promise.allSettled(Object.values(ctx.redis).map((client) => waitUntilReady(client, REDIS_WAIT_MS)));
server.listen(config.port, config.host, () => ctx.log.info(server.address(), 'api listens'));
