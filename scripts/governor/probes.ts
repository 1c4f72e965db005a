import { Cluster } from 'ioredis';
import { z } from 'zod';
import { whyNobodySignsIn } from '../../shared/core/accounts/identity/sign-in-state.ts';
import { measureShards } from '../../shared/core/credits/meter/shards.ts';
import { countUnsentAlerts } from '../../shared/core/events/webhooks/deliveries/failing-webhook.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { dateAt } from '../../shared/platform/basics/clock.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { verifyMailServer } from '../../shared/platform/mail/send-mail.ts';
import { refuseUnprepared } from '../../shared/platform/mongo/schema.ts';
import { exchange } from '../../shared/platform/outward/exchange.ts';
import {
  connectQueues,
  connectRedis,
  type RedisClient,
  waitUntilReady,
} from '../../shared/platform/redis/connect.ts';
import { SHARDS } from '../../shared/platform/redis/keys.ts';
import { JOBS } from '../../shared/tables/jobs.ts';
import {
  COUNT_AT_MOST,
  failing,
  ok,
  type Probe,
  type Probed,
  type Service,
  warning,
} from './basics/probe.ts';
import { GOVERNOR_WINGS } from './wings.ts';

/** Every part of the service, in the order of the screen. A probe that throws has found a failure. */
export const PROBES: Readonly<Record<string, Probe>> = {
  api: probeApi,
  mongo: probeMongo,
  redis: probeRedis,
  worker: probeWorker,
  queues: probeQueues,
  ledger: probeLedger,
  'sign-in': probeSignIn,
  mail: probeMail,
  webhooks: probeWebhooks,
  ...Object.fromEntries(GOVERNOR_WINGS.flatMap(({ probes = {} }) => Object.entries(probes))),
};

const readiness = z.object({
  status: z.enum(['ready', 'degraded']),
  warnings: z.array(z.string()).optional(),
});

async function probeApi({ api }: Service): Promise<Probed> {
  const limits = { deadlineMs: 2_500, mostBytes: 1_048_576 };
  const answer = await exchange(`${api}/readyz`, {}, limits).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`${api} does not answer: ${cause}`);
  });
  const { data } = readiness.safeParse(await answer.json().catch(() => null));
  if (!answer.ok) return failing(`${api} answers ${answer.status}.`);
  if (!data) return failing(`The service at ${api} is not usage-governor.`);
  if (data.status === 'ready') return ok(`${api} is ready.`);
  return warning(`${api} is degraded. ${(data.warnings ?? []).join(' ')}`.trim());
}

async function probeMongo({ opening }: Service): Promise<Probed> {
  const { db } = await opening;
  await db.connection.db?.command({ ping: 1 });
  await refuseUnprepared(db);
  return ok('MONGODB_URL answers and is prepared.');
}

async function probeRedis({ config }: Service): Promise<Probed> {
  return withRedis(connectRedis(config, 'producer'), async (redis) => {
    const began = performance.now();
    await redis.ping();
    return ok(`REDIS_URL answers in ${Math.ceil(performance.now() - began)} ms.`);
  });
}

/** Workers are found by the name of their connections. */
async function probeWorker({ config }: Service): Promise<Probed> {
  return withRedis(connectQueues(config, 'producer'), async (redis) => {
    const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
    const lists = await Promise.all(nodes.map((node) => node.client('LIST') as Promise<string>));
    const workers = Math.max(...lists.map((list) => list.match(/ name=governor-worker(?= )/g)?.length ?? 0));
    return workers > 0
      ? ok(`${workers} ${workers === 1 ? 'worker is' : 'workers are'} connected.`)
      : failing('No worker is connected: events are not delivered and budgets are not evaluated.');
  });
}

/** How late something due may be while a worker keeps up. */
const LATE_MS = 60_000;

async function probeQueues({ opening }: Service): Promise<Probed> {
  const ctx = await opening;
  await waitUntilReady(ctx.redis.queues, 2_000);
  const counts = await Promise.all(
    JOBS.map(({ kind }) => ctx.queues.of(kind).getJobCounts('waiting', 'active')),
  );
  const sum = (state: string) => counts.reduce((total, count) => total + (count[state] ?? 0), 0);
  const late = await dueRows(ctx).countDocuments(
    { due_at: { $lte: dateAt(ctx.clock.now() - LATE_MS) } },
    { limit: COUNT_AT_MOST },
  );
  const detail = `${sum('waiting')} jobs wait, ${sum('active')} run.`;
  if (late === 0) return ok(detail);
  return warning(
    `${late === COUNT_AT_MOST ? `${late} or more` : late} due for more than a minute. ${detail}`,
  );
}

/** How long a spend may wait for the ledger. */
const LEDGER_LATE_MS = 60_000;

async function probeLedger({ opening }: Service): Promise<Probed> {
  const ctx = await opening;
  await waitUntilReady(ctx.redis.producer, 2_000);
  const shards = await measureShards(ctx);
  const silent = SHARDS - shards.length;
  if (silent > 0) return failing(`${silent} of ${SHARDS} shards: their Redis does not answer.`);
  const shut = shards.filter(({ status }) => status !== 'open').length;
  if (shut > 0) return failing(`${shut} of ${SHARDS} shards refuse spends until a worker has checked them.`);
  const waiting = shards.reduce((total, { length }) => total + length, 0);
  const waitedMs = Math.max(...shards.map((shard) => shard.waitedMs));
  const detail = `${waiting} spends wait for the ledger, the oldest for ${Math.round(waitedMs / 1_000)} s.`;
  return waitedMs > LEDGER_LATE_MS
    ? warning(detail)
    : ok(waiting === 0 ? 'Every spend is in the ledger.' : detail);
}

async function probeSignIn({ opening }: Service): Promise<Probed> {
  const problem = await whyNobodySignsIn(await opening);
  return problem === null ? ok('OIDC_ISSUER answers.') : failing(problem);
}

async function probeMail({ opening }: Service): Promise<Probed> {
  const ctx = await opening;
  if (!ctx.config.smtpUrl) return warning('SMTP_URL is not set: no mail is sent.');
  await verifyMailServer(ctx);
  return ok('SMTP_URL takes mail.');
}

async function probeWebhooks({ opening }: Service): Promise<Probed> {
  const ctx = await opening;
  const [count, failed] = await Promise.all([
    webhookRows(ctx).countDocuments({}),
    webhookRows(ctx).countDocuments({ status: 'failing' }),
  ]);
  if (failed === 0) return ok(`${count} registered, none is failing.`);
  const unsent = await countUnsentAlerts(ctx);
  const told = unsent > 0 ? ` The admins of ${unsent} were not told.` : '';
  return warning(`${failed} of ${count} are failing (governor webhook list --failing).${told}`);
}

async function withRedis(
  client: RedisClient,
  work: (redis: RedisClient) => Promise<Probed>,
): Promise<Probed> {
  try {
    await waitUntilReady(client, 2_500);
    return await work(client);
  } finally {
    client.disconnect();
  }
}
