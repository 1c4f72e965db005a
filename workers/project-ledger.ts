import { setTimeout } from 'node:timers/promises';
import { recoverCredits } from '../shared/core/credits/ledger/open-shards.ts';
import { projectRound, type Round } from '../shared/core/credits/ledger/project-ledger.ts';
import { findPausedShards, measureShards } from '../shared/core/credits/meter/shards.ts';
import { stalledShards } from '../shared/core/credits/metrics.ts';
import type { Context } from '../shared/platform/context/context.ts';
import { connectRedis, waitUntilReady } from '../shared/platform/redis/connect.ts';
import { ALL_SHARDS, groupBySlot, shardKeys } from '../shared/platform/redis/keys.ts';

/** How long after one round the next begins. A pause fills the batches. */
const BUSY_MS = 150;
const TROUBLE_MS = 500;
/**
 * How often the shards are read while there is something in them, or Redis does not answer: this long spends may be
 * refused before a Redis that came back is checked, and wait before the ledger has them.
 */
const READ_MS = 250;
/** How often while they are empty and open. The first entry ends the wait at once (`openEntryWait`). */
const REST_READ_MS = 2_000;
/** When shards that could not be opened are tried again: that walks over all accounts. */
const RETRY_MS = 10_000;

/**
 * Keeps the ledger up with the spends, and opens the shards of a Redis that came back. A plain loop in each worker, not
 * a job: it must run when BullMQ's own keys are gone. Returns how to stop it.
 */
export function startProjector(ctx: Context): () => Promise<void> {
  const stopping = new AbortController();
  const work: Work = { isWaiting: true, mayBePaused: true, onWaiting: () => undefined };
  const entries = openEntryWait(ctx);
  const running = Promise.all([
    keepUp(ctx, work, stopping.signal),
    watch(ctx, work, entries, stopping.signal),
  ]);
  return async () => {
    stopping.abort();
    work.onWaiting();
    entries.stop();
    await running;
  };
}

/** Work that was seen and not begun: something for the ledger or a shard that is not open; such a shard. */
interface Work {
  isWaiting: boolean;
  mayBePaused: boolean;
  /** Called when something waits again, and at the end. */
  onWaiting: () => void;
}

/** Reads the shards beside the rounds, so that the gauges are right while MongoDB is away and a round waits for it. */
async function watch(ctx: Context, work: Work, entries: EntryWait, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const states = await measureShards(ctx).catch(() => null);
    const resting = states?.filter(({ status, length }) => status === 'open' && length === 0);
    const isAtRest = resting?.length === ALL_SHARDS.length;
    work.mayBePaused ||= !states || states.some(({ status }) => status !== 'open');
    if (!isAtRest) raise(work);
    const isAnswered = isAtRest && (await entries.wait(REST_READ_MS));
    if (!isAnswered) await pause(READ_MS, stopped);
  }
}

function raise(work: Work): void {
  work.isWaiting = true;
  work.onWaiting();
}

async function keepUp(ctx: Context, work: Work, stopped: AbortSignal): Promise<void> {
  const openPaused = createOpener(ctx);
  const report = createReporter(ctx);
  // It may still be connecting: that is no trouble yet.
  await waitUntilReady(ctx.redis.producer, TROUBLE_MS).catch(() => undefined);
  while (!stopped.aborted) {
    if (work.isWaiting) {
      work.isWaiting = false;
      const troubles: unknown[] = [];
      // Shards that cannot be opened do not stop the ledger of the others.
      if (work.mayBePaused) {
        work.mayBePaused = false;
        await openPaused().catch((error: unknown) => troubles.push(error));
      }
      const round = await projectRound(ctx, ALL_SHARDS).catch((error: unknown) => {
        troubles.push(error);
        return null;
      });
      report(troubles, round);
      work.isWaiting ||= troubles.length > 0 || (round !== null && round.moved > 0);
      if (troubles.length > 0) await pause(TROUBLE_MS, stopped);
    }
    await (work.isWaiting ? pause(BUSY_MS, stopped) : untilWaiting(work, stopped));
  }
}

async function untilWaiting(work: Work, stopped: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  work.onWaiting = resolve;
  if (!stopped.aborted) await promise;
}

/** Opens the shards that are paused. Those that could not be opened are tried again when it is time. */
function createOpener(ctx: Context): () => Promise<void> {
  let retryDueMs = 0;
  let failed = 0;
  return async () => {
    const { size: paused } = await findPausedShards(ctx);
    const areKnown = paused <= failed && performance.now() < retryDueMs;
    if (paused === 0 || areKnown) return;
    ({ failed } = await recoverCredits(ctx));
    retryDueMs = performance.now() + RETRY_MS;
  };
}

/** Logs once when the ledger falls behind or a shard is stalled, and when that is over. */
function createReporter(ctx: Context): (troubles: readonly unknown[], round: Round | null) => void {
  let inTrouble = false;
  const known = new Map<number, string>();
  return (troubles, round) => {
    const [error] = troubles;
    if (error && !inTrouble) ctx.log.warn({ err: error }, 'the ledger falls behind; trying again');
    if (!error && inTrouble) ctx.log.info('the ledger is kept up again');
    inTrouble = error !== undefined;
    if (!round) return;
    stalledShards(ctx).set(round.stalled.size);
    for (const shard of known.keys()) if (!round.stalled.has(shard)) known.delete(shard);
    for (const [shard, problem] of round.stalled) {
      if (known.get(shard) === problem.message) continue;
      known.set(shard, problem.message);
      ctx.log.error({ err: problem, shard }, 'the ledger of a shard is stalled; nothing of it is lost');
    }
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

/** Waits for something that the ledger does not have yet. */
interface EntryWait {
  /**
   * Resolves with true as soon as any shard's stream holds an entry, and when none came within `ms`; with false when Redis
   * cannot be asked in this way: it does not answer, or it is a cluster, where each shard lies in a slot of its own.
   */
  wait(ms: number): Promise<boolean>;
  stop(): void;
}

/** Opens a connection of its own: Redis sends nothing else on one that waits (https://redis.io/docs/latest/commands/xread/). */
export function openEntryWait(ctx: Context): EntryWait {
  const streams = ALL_SHARDS.map((shard) => shardKeys(shard).stream);
  const canAskForAll = groupBySlot(ctx.redis.producer, streams).length === 1;
  if (!canAskForAll) return { wait: async () => false, stop: () => undefined };
  const client = connectRedis(ctx.config, 'waiter');
  const starts = streams.map(() => '0');
  return {
    wait: async (ms) => {
      try {
        await client.xread('COUNT', 1, 'BLOCK', ms, 'STREAMS', ...streams, ...starts);
        return true;
      } catch {
        return false;
      }
    },
    stop: () => client.disconnect(),
  };
}
