import { ledgerLag, ledgerStuckShards, shutShardCount } from '../shared/credits/ledger/metrics.ts';
import { recoverCredits } from '../shared/credits/ledger/open-shards.ts';
import { projectRound, type Round } from '../shared/credits/ledger/project-ledger.ts';
import { measureLag } from '../shared/credits/ledger/stream.ts';
import { lookAtEpochs } from '../shared/credits/meter/epoch.ts';
import type { Context } from '../shared/platform/context/context.ts';
import { waitUntilReady } from '../shared/platform/redis/connect.ts';
import { ALL_SHARDS } from '../shared/platform/redis/keys.ts';

/** How long after one round the next begins. A pause fills the batches. */
const BUSY_MS = 150;
const IDLE_MS = 250;
const TROUBLE_MS = 500;
/** How often the epochs are looked at: this long spends may be refused before a Redis that came back is checked. */
const LOOK_MS = 500;
/** When shards that could not be opened are tried again: that walks over all accounts. */
const RETRY_MS = 10_000;
/** How often the lag is measured. */
const LAG_MS = 500;

/**
 * Keeps the ledger up with the spends, and opens the shards of a Redis that came back. A plain loop in each worker, not
 * a job: it must run when BullMQ's own keys are gone. Returns how to stop it.
 */
export function startProjector(ctx: Context): () => Promise<void> {
  const stopping = new AbortController();
  const running = Promise.all([keepUp(ctx, stopping.signal), watchLag(ctx, stopping.signal)]);
  return async () => {
    stopping.abort();
    await running;
  };
}

async function keepUp(ctx: Context, stopped: AbortSignal): Promise<void> {
  const openShut = createOpener(ctx);
  const report = createReporter(ctx);
  // It may still be connecting: that is no trouble yet.
  await waitUntilReady(ctx.redis.producer, TROUBLE_MS).catch(() => undefined);
  while (!stopped.aborted) {
    const troubles: unknown[] = [];
    // Shards that cannot be opened do not stop the ledger of the others.
    await openShut().catch((error: unknown) => troubles.push(error));
    const round = await projectRound(ctx, ALL_SHARDS).catch((error: unknown) => {
      troubles.push(error);
      return null;
    });
    report(troubles, round);
    const isBusy = round !== null && round.moved > 0;
    await pause(troubles.length > 0 ? TROUBLE_MS : isBusy ? BUSY_MS : IDLE_MS, stopped);
  }
}

/** From Redis alone and beside the rounds, so that it shows while MongoDB is away and a round waits for it. */
async function watchLag(ctx: Context, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const lagMs = await measureLag(ctx).catch(() => null);
    if (lagMs !== null) ledgerLag(ctx).set(lagMs / 1_000);
    await pause(LAG_MS, stopped);
  }
}

/** Looks at the shards when it is time, and opens those that are shut. */
function createOpener(ctx: Context): () => Promise<void> {
  let lookDueMs = 0;
  let retryDueMs = 0;
  let failed = 0;
  return async () => {
    if (performance.now() < lookDueMs) return;
    const shut = await countShut(ctx);
    const areKnown = shut <= failed && performance.now() < retryDueMs;
    if (shut > 0 && !areKnown) {
      ({ failed } = await recoverCredits(ctx));
      retryDueMs = performance.now() + RETRY_MS;
      await countShut(ctx);
    }
    lookDueMs = performance.now() + LOOK_MS;
  };
}

/** How many shards wait to be opened. The metric also counts those that a rebuild holds. */
async function countShut(ctx: Context): Promise<number> {
  const looks = await lookAtEpochs(ctx);
  shutShardCount(ctx).set(looks.filter(({ state }) => state !== 'open').length);
  return looks.filter(({ state }) => state === 'shut').length;
}

/** Says once when the ledger falls behind or a shard stands still, and when that is over. */
function createReporter(ctx: Context): (troubles: readonly unknown[], round: Round | null) => void {
  let inTrouble = false;
  const known = new Map<number, string>();
  return (troubles, round) => {
    const [error] = troubles;
    if (error && !inTrouble) ctx.log.warn({ err: error }, 'the ledger falls behind; trying again');
    if (!error && inTrouble) ctx.log.info('the ledger is kept up again');
    inTrouble = error !== undefined;
    if (!round) return;
    ledgerStuckShards(ctx).set(round.stuck.size);
    for (const shard of known.keys()) if (!round.stuck.has(shard)) known.delete(shard);
    for (const [shard, problem] of round.stuck) {
      if (known.get(shard) === problem.message) continue;
      known.set(shard, problem.message);
      ctx.log.error({ err: problem, shard }, 'the ledger of a shard stands still; nothing of it is lost');
    }
  };
}

async function pause(ms: number, stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    stopped.addEventListener('abort', end);
  });
}
