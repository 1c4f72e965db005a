import { type Cluster, Redis, type RedisOptions } from 'ioredis';

/**
 * Three clients with three duties: the meter never sends anything twice and never waits; the producer gives up
 * at once (a wake-up may be lost, the sweeper finds what it was for); the worker waits for Redis to come back.
 */
export type RedisRole = 'meter' | 'producer' | 'worker';

/** One Redis, or a cluster of them: the same commands. */
export type RedisClient = Redis | Cluster;

const ROLES = {
  meter: {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    commandTimeout: 1_000,
  },
  producer: { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: 2_000 },
  worker: { maxRetriesPerRequest: null },
} satisfies Record<RedisRole, RedisOptions>;

export function connectRedis(url: string, role: RedisRole): Redis {
  const client = new Redis(url, {
    ...ROLES[role],
    connectionName: `governor-${role}`,
    connectTimeout: 2_000,
    lazyConnect: true,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  });
  // A connection that comes and goes is reported by readiness and by the failing commands.
  client.on('error', () => undefined);
  client.connect().catch(() => undefined);
  return client;
}

/** Resolves when commands can be sent; rejects after `timeoutMs`. */
export async function waitUntilReady(client: Redis, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis does not answer')), timeoutMs);
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
