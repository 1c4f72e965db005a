import type { Redis } from 'ioredis';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { connectMongo, type Db } from './mongo.ts';
import { openQueues, type Queues } from './queues.ts';
import { connectRedis } from './redis/connect.ts';

/** What every domain function gets: the outside world, opened once. */
export interface Context {
  config: Config;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  db: Db;
  /** The meter's client spends credits; the producer adds wake-ups. Workers open their own. */
  redis: { meter: Redis; producer: Redis };
  queues: Queues;
  lanes: Lanes;
  /** Instead of the contract's waits before attempts 1..5 (milliseconds): for tests and benchmarks. */
  webhookWaitsMs?: readonly number[];
  /** For the audit log: who acts when no person does. */
  actor: string;
  /** Finishes what is under way, then lets go of the stores. */
  close(): Promise<void>;
}

export interface ContextOptions {
  process: 'api' | 'worker' | 'cli' | 'test';
  clock?: Clock;
  log?: Log;
  queuePrefix?: string;
}

/** Opens the stores. Rejects when MongoDB does not answer in 5 s; Redis may come later. */
export async function openContext(config: Config, options: ContextOptions): Promise<Context> {
  const log = options.log ?? createLog({ level: config.logLevel, process: options.process });
  const db = await connectMongo(config.mongodbUrl);
  const redis = {
    meter: connectRedis(config.redisUrl, 'meter'),
    producer: connectRedis(config.redisUrl, 'producer'),
  };
  const queues = openQueues(redis.producer, log, options.queuePrefix);
  const lanes = createLanes();
  return {
    config,
    clock: options.clock ?? systemClock,
    log,
    metrics: createMetrics({ defaults: options.process === 'api' || options.process === 'worker' }),
    db,
    redis,
    queues,
    lanes,
    actor: options.process,
    close: async () => {
      await lanes.idle();
      await queues.settled();
      await queues.close();
      redis.meter.disconnect();
      redis.producer.disconnect();
      await db.connection.close();
    },
  };
}
