import { setImmediate as nextTurn } from 'node:timers/promises';
import { type JobsOptions, Queue } from 'bullmq';
import type { Log } from '../basics/log.ts';
import type { RedisClient } from '../redis/connect.ts';
import { QUEUE_PREFIX } from '../redis/keys.ts';
import type { Job } from './job.ts';

/** A wake-up: the job that tells a worker to look at a row. It may be lost; the sweeper finds the row. */
export interface WakeUp<Data> {
  /** The same id while a job lives is the same job. No colon. */
  id: string;
  job: Data;
  /** From now; 0 is at once. */
  delayMs: number;
}

export type Queues = ReturnType<typeof openQueues>;

/** Jobs that one command adds: encoding them holds the event loop. */
const ADDED_AT_ONCE = 100;

export function openQueues(producer: RedisClient, log: Log, prefix = QUEUE_PREFIX) {
  const queues = new Map<string, Queue>();
  const underWay = new Set<Promise<unknown>>();

  /** The prefix of a queue's keys: each has a hash tag of its own, so that a cluster spreads the queues. */
  const prefixOf = (kind: string) => prefix.replace(/\}$/, `:${kind}}`);

  /** The queue of a kind, opened when it is first asked for. */
  function of(kind: string): Queue {
    const known = queues.get(kind);
    if (known) return known;
    const queue = new Queue(kind, {
      connection: producer,
      prefix: prefixOf(kind),
      skipWaitingForReady: true,
      skipVersionCheck: true,
    });
    queue.on('error', () => undefined);
    queues.set(kind, queue);
    return queue;
  }

  /** Adds wake-ups and never fails: the sweeper finds what is lost. Requests do not wait; `drained` waits for those under way. */
  function wake<Data>({ kind }: Job<Data>, wakeUps: readonly WakeUp<Data>[]): void {
    if (wakeUps.length === 0) return;
    const adding = addInPieces(of(kind), wakeUps)
      .catch((error: unknown) =>
        log.warn({ err: error, queue: kind }, 'a wake-up was lost; the sweeper will find its row'),
      )
      .finally(() => underWay.delete(adding));
    underWay.add(adding);
  }

  return {
    of,
    /** The prefix of every channel and of every key. */
    prefix,
    prefixOf,
    wake,
    drained: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

/** Adds wake-ups, each piece after a turn of the event loop, so that the answer to the request goes first. */
async function addInPieces<Data>(queue: Queue, wakeUps: readonly WakeUp<Data>[]): Promise<void> {
  for (let from = 0; from < wakeUps.length; from += ADDED_AT_ONCE) {
    await nextTurn();
    const piece = wakeUps.slice(from, from + ADDED_AT_ONCE);
    await queue.addBulk(
      piece.map(({ id, job, delayMs }) => ({ name: queue.name, data: job, opts: jobOptions(id, delayMs) })),
    );
  }
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
