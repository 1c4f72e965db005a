import { createServer } from 'node:http';
import { readConfig } from '../shared/platform/basics/config.ts';
import { stopOnSignal } from '../shared/platform/basics/shutdown.ts';
import { openContext } from '../shared/platform/context/context.ts';
import { connectQueues } from '../shared/platform/redis/connect.ts';
import { listen } from '../shared/webhooks/announcements.ts';
import { letGoOfWaiting } from '../shared/webhooks/endpoints.ts';
import { alertAdmin } from './alert-admin.ts';
import { closeSession } from './close-session.ts';
import { deliverWebhook, drainWebhook, holdWebhook, retryWebhook } from './deliver-webhook.ts';
import { detectAnomalies } from './detect-anomalies.ts';
import { evaluateBudgets } from './evaluate-budgets.ts';
import { expireCredits } from './expire-credits.ts';
import type { JobHandler } from './job-handler.ts';
import { answerProbe } from './probe.ts';
import { startProjector } from './project-ledger.ts';
import { purgeJob } from './purge.ts';
import { reconcileCredits } from './reconcile-credits.ts';
import { reconcileUsageJob } from './reconcile-usage.ts';
import { startSweeper } from './sweeper.ts';
import { closeWorker, startWorker } from './worker.ts';

const HANDLERS = [
  closeSession,
  evaluateBudgets,
  detectAnomalies,
  reconcileCredits,
  expireCredits,
  reconcileUsageJob,
  purgeJob,
  deliverWebhook,
  retryWebhook,
  holdWebhook,
  drainWebhook,
  alertAdmin,
] as unknown as readonly JobHandler[];

const config = readConfig(process.env);
const ctx = await openContext(config, { process: 'worker' });
const connection = connectQueues(config, 'worker');
const workers = HANDLERS.map((handler) => startWorker(handler, ctx, connection));
const stopListening = listen(ctx);
const stopSweeper = startSweeper(ctx);
const stopProjector = startProjector(ctx);
const probe = createServer((req, res) => void answerProbe(ctx, req, res));

stopOnSignal(ctx.log, async () => {
  probe.close();
  await stopSweeper();
  letGoOfWaiting(ctx);
  await stopProjector();
  stopListening();
  await Promise.all(workers.map(closeWorker));
  connection.disconnect();
  await ctx.close();
});

probe.listen(config.workerPort, config.host, () => ctx.log.info({ port: config.workerPort }, 'worker runs'));
