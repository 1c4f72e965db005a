import { Cluster, Redis } from 'ioredis';
import type { Config } from '../basics/config.ts';
import type { Log } from '../basics/log.ts';
import { hintAtAuthorities } from '../basics/trust-authorities.ts';

/**
 * Five clients with five duties: the meter never sends anything twice and never waits; the producer gives up
 * at once (a wake-up may be lost, the sweeper finds what it was for); the worker and the subscriber wait for Redis to come
 * back; the waiter sends commands that block, for less than 5 s, and gives up when its connection does. Each connection has
 * its role in its name: `governor status` counts workers by it.
 */
export type RedisRole = 'meter' | 'producer' | 'worker' | 'subscriber' | 'waiter';

/** One Redis, or a cluster of them: the same commands. */
export type RedisClient = Redis | Cluster;

interface RoleOptions {
  maxRetriesPerRequest: number | null;
  enableOfflineQueue?: boolean;
  autoResendUnfulfilledCommands?: boolean;
  commandTimeout?: number;
  socketTimeout?: number;
}

/**
 * After this long without a byte while a command waits, a connection is given up and opened again: behind a host that
 * vanished the kernel would wait a quarter of an hour. An idle connection has nothing that waits. Longer than Redis needs
 * for anything of ours, and for a worker than it blocks (10 s).
 */
const SILENCE_MS = 5_000;
const WORKER_SILENCE_MS = 30_000;

const ROLES = {
  meter: {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    commandTimeout: 1_000,
    socketTimeout: SILENCE_MS,
  },
  producer: {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: 2_000,
    socketTimeout: SILENCE_MS,
  },
  worker: { maxRetriesPerRequest: null, socketTimeout: WORKER_SILENCE_MS },
  subscriber: { maxRetriesPerRequest: null, socketTimeout: WORKER_SILENCE_MS },
  waiter: {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    socketTimeout: SILENCE_MS,
  },
} satisfies Record<RedisRole, RoleOptions>;

/**
 * Connects in the background: commands fail until then, or wait, as the role has it. Never lazily: BullMQ duplicates the
 * client of a worker, and of a lazy one it takes the first failure to connect for the end.
 */
export function connectRedis(
  config: Pick<Config, 'redisUrl' | 'redisClusterNodes'>,
  role: RedisRole,
): RedisClient {
  const options = {
    ...(ROLES[role] as RoleOptions),
    connectionName: `governor-${role}`,
    connectTimeout: 2_000,
  };
  const client = config.redisClusterNodes
    ? connectCluster(config, config.redisClusterNodes, role, options)
    : new Redis(config.redisUrl, { ...options, retryStrategy: reconnectDelay });
  // A connection that comes and goes is reported by readiness and by the failing commands; see also `logOutages`.
  client.on('error', () => undefined);
  return client;
}

/** Says in the log, once per outage, why the Redis that `variable` names cannot be used, and when it can be again. */
export function logOutages(client: RedisClient, variable: string, log: Log): void {
  let isTold = false;
  client.on('error', (error: Error) => {
    if (!isTold)
      log.error({ reason: hintAtAuthorities(error.message) }, `the Redis of ${variable} cannot be used`);
    isTold = true;
  });
  client.on('ready', () => {
    if (isTold) log.info(`the Redis of ${variable} can be used again`);
    isTold = false;
  });
}

/**
 * For the queues: their own Redis where there is one, else the one of the credits. A job is only a wake-up, and what is
 * lost the sweeper finds, so that theirs need not wait for a disk.
 */
export function connectQueues(
  config: Pick<Config, 'redisUrl' | 'redisClusterNodes' | 'queueRedisUrl'>,
  role: 'producer' | 'worker' | 'subscriber',
): RedisClient {
  const { queueRedisUrl } = config;
  return connectRedis(
    queueRedisUrl ? { redisUrl: queueRedisUrl, redisClusterNodes: undefined } : config,
    role,
  );
}

function reconnectDelay(attempt: number): number {
  return Math.min(50 * attempt, 1_000);
}

/** User, password and TLS come from REDIS_URL. A command that was sent to a node that died is never sent to another. */
function connectCluster(
  config: Pick<Config, 'redisUrl'>,
  nodes: string,
  role: RedisRole,
  options: RoleOptions,
): Cluster {
  const { username, password, protocol } = new URL(config.redisUrl);
  const startNodes = nodes.split(',').map((node) => {
    const colon = node.lastIndexOf(':');
    return { host: node.slice(0, colon), port: Number(node.slice(colon + 1)) };
  });
  return new Cluster(startNodes, {
    enableOfflineQueue: role === 'worker' || role === 'subscriber',
    retryDelayOnFailover: role === 'meter' ? 0 : 100,
    clusterRetryStrategy: reconnectDelay,
    slotsRefreshInterval: 5_000,
    redisOptions: {
      ...options,
      ...(username ? { username: decodeURIComponent(username) } : {}),
      ...(password ? { password: decodeURIComponent(password) } : {}),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  });
}

/** Resolves when commands can be sent; rejects after `timeoutMs`, with the last reason why they cannot. */
export async function waitUntilReady(client: RedisClient, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return;
  let reason = 'no answer';
  const note = (error: Error) => {
    reason = hintAtAuthorities(error.message);
  };
  client.on('error', note);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Redis cannot be used: ${reason}`)), timeoutMs);
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  }).finally(() => client.off('error', note));
}
