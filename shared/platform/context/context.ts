import { type Clock, systemClock } from '../basics/clock.ts';
import type { Config } from '../basics/config.ts';
import { createLog, type Log } from '../basics/log.ts';
import { createMetrics, type Metrics } from '../basics/metrics.ts';
import { trustAuthorities } from '../basics/trust-authorities.ts';
import { connectMongo, type Db } from '../mongo/connect.ts';
import { startTransactionGuard } from '../mongo/transaction-guard.ts';
import { openQueues, type Queues } from '../queues/queues.ts';
import { connectQueues, connectRedis, logOutages, type RedisClient } from '../redis/connect.ts';
import { type Batcher, createBatcher } from './batcher.ts';

/** The outside world, opened once: the first argument of every domain function. */
export interface Context {
  config: Config;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  db: Db;
  /**
   * The meter's client spends credits; the producer does what may fail at once. Wake-ups are added by `queues`, which is
   * the producer unless the queues have a Redis of their own. Workers open their own.
   */
  redis: { meter: RedisClient; producer: RedisClient; queues: RedisClient };
  queues: Queues;
  batcher: Batcher;
  /** A test's, for which fewer things are many (few.ts): it takes each other way to an answer with little data. */
  few?: number;
  /** For the audit log: who acts when no person does. */
  actor: string;
  /** Features that take part in what the core does; the core says how they may. */
  wings: readonly { readonly name: string }[];
  /** Ends what a noun keeps running beside the context (a timer, say) when this closes. */
  onClose(end: () => void): void;
  /** Finishes what is under way, then lets go of the stores. */
  close(): Promise<void>;
}

/** The parts that the wings of this process take under a name, in their order. Whoever asks says their type. */
export function partsOf<Part>({ wings }: Pick<Context, 'wings'>, name: string): Part[] {
  const taking = wings as readonly object[] as readonly Readonly<Record<string, Part | undefined>>[];
  return taking.flatMap((wing) => wing[name] ?? []);
}

export interface ContextOptions {
  process: 'api' | 'worker' | 'cli' | 'test';
  wings: Context['wings'];
  clock?: Clock;
  log?: Log;
  queuePrefix?: string;
}

/** Above the longest command that an api or a worker sends; a CLI may build an index for hours. */
const SOCKET_TIMEOUT_MS = 60_000;

/** Opens the stores, whose certificates CA_FILE may vouch for. Rejects when MongoDB does not answer in 5 s; Redis may come later. */
export async function openContext(config: Config, options: ContextOptions): Promise<Context> {
  const log = options.log ?? createLog({ level: config.logLevel, process: options.process });
  trustAuthorities(config);
  const serves = options.process === 'api' || options.process === 'worker';
  const db = await connectMongo(config.mongodbUrl, serves ? { socketTimeoutMs: SOCKET_TIMEOUT_MS } : {});
  const guard = serves ? await startTransactionGuard(db, log) : null;
  const producer = connectRedis(config, 'producer');
  const redis = {
    meter: connectRedis(config, 'meter'),
    producer,
    queues: config.queueRedisUrl ? connectQueues(config, 'producer') : producer,
  };
  if (serves) logOutages(producer, config.redisClusterNodes ? 'REDIS_CLUSTER_NODES' : 'REDIS_URL', log);
  if (serves && config.queueRedisUrl) logOutages(redis.queues, 'QUEUE_REDIS_URL', log);
  const queues = openQueues(redis.queues, log, options.queuePrefix);
  const batcher = createBatcher();
  const ends: (() => void)[] = [];
  return {
    config,
    clock: options.clock ?? systemClock,
    log,
    metrics: createMetrics({ defaults: serves }),
    db,
    redis,
    queues,
    batcher,
    actor: options.process,
    wings: options.wings,
    onClose: (end) => {
      ends.push(end);
    },
    close: async () => {
      for (const end of ends) end();
      await batcher.idle();
      await queues.drained();
      await queues.close();
      redis.meter.disconnect();
      redis.producer.disconnect();
      redis.queues.disconnect();
      await guard?.stop();
      await db.connection.close();
    },
  };
}
