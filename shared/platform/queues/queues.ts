import { type JobsOptions, Queue } from 'bullmq';
import { z } from 'zod';
import type { Log } from '../basics/log.ts';
import type { RedisClient } from '../redis/connect.ts';
import { QUEUE_PREFIX } from '../redis/keys.ts';

const dueDeliveries = z.strictObject({
  webhook_id: z.string(),
  delivery_ids: z.array(z.string()),
  /** Whether the commit that planned them has announced them (shared/webhooks/announcements.ts). */
  announced: z.boolean().default(false),
});

/** Every queue with the shape of its jobs. A job is a wake-up: it carries ids, never state. */
export const QUEUES = {
  'close-session': z.strictObject({ session_id: z.string() }),
  'evaluate-budgets': z.strictObject({ org_id: z.string() }),
  'detect-anomalies': z.strictObject({ session_id: z.string() }),
  'reconcile-credits': z.strictObject({}),
  'expire-credits': z.strictObject({}),
  'reconcile-usage': z.strictObject({}),
  purge: z.strictObject({}),
  'deliver-webhook': dueDeliveries,
  'retry-webhook': dueDeliveries,
  'hold-webhook': z.strictObject({ webhook_id: z.string() }),
  'drain-webhook': z.strictObject({ webhook_id: z.string() }),
  'alert-admin': z.strictObject({ webhook_id: z.string() }),
} as const;

export type QueueName = keyof typeof QUEUES;
export type JobOf<Name extends QueueName> = z.output<(typeof QUEUES)[Name]>;

export interface WakeUp<Name extends QueueName> {
  /** The same id while a job lives is the same job. No colon. */
  id: string;
  job: JobOf<Name>;
  /** From now; 0 is at once. */
  delayMs: number;
}

export interface Queues {
  byName: Readonly<Record<QueueName, Queue>>;
  /** Of every key of the queues. */
  prefix: string;
  /**
   * Adds wake-ups and never fails: what is lost here, the sweeper finds. Not awaited by requests; `settled`
   * waits for those under way.
   */
  wake<Name extends QueueName>(name: Name, wakeUps: readonly WakeUp<Name>[]): void;
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function openQueues(producer: RedisClient, log: Log, prefix = QUEUE_PREFIX): Queues {
  const names = Object.keys(QUEUES) as QueueName[];
  const byName = Object.fromEntries(names.map((name) => [name, openQueue(name, producer, prefix)])) as Record<
    QueueName,
    Queue
  >;
  const underWay = new Set<Promise<unknown>>();

  function wake<Name extends QueueName>(name: Name, wakeUps: readonly WakeUp<Name>[]): void {
    if (wakeUps.length === 0) return;
    const adding = byName[name]
      .addBulk(
        wakeUps.map((wakeUp) => ({ name, data: wakeUp.job, opts: jobOptions(wakeUp.id, wakeUp.delayMs) })),
      )
      .catch((error: unknown) =>
        log.warn({ err: error, queue: name }, 'a wake-up was lost; the sweeper will find it'),
      )
      .finally(() => underWay.delete(adding));
    underWay.add(adding);
  }

  return {
    byName,
    prefix,
    wake,
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close: async () => {
      await Promise.all(names.map((name) => byName[name].close()));
    },
  };
}

function openQueue(name: QueueName, connection: RedisClient, prefix: string): Queue {
  const queue = new Queue(name, { connection, prefix, skipWaitingForReady: true, skipVersionCheck: true });
  queue.on('error', () => undefined);
  return queue;
}

// A failed job would hold its id and keep the sweeper from waking the same thing again: it goes, the log and the
// metric stay.
function jobOptions(id: string, delayMs: number): JobsOptions {
  return {
    jobId: id,
    delay: Math.max(0, Math.ceil(delayMs)),
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
  };
}
