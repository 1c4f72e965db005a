import { Redis, type RedisOptions } from 'ioredis';

/**
 * Three clients with three duties: the meter never sends anything twice and never waits; the producer gives up
 * at once (a wake-up may be lost, the sweeper finds what it was for); the worker waits for Redis to come back.
 */
export type RedisRole = 'meter' | 'producer' | 'worker';

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
