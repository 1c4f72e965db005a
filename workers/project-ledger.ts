import type { Context } from '../shared/context.ts';
import { projectLedger, shardsWithEntries } from '../shared/credits/project-ledger.ts';
import { recoverCredits, shutShards } from '../shared/credits/recover.ts';

/** How long after one round the next begins. A pause fills the batches. */
const BUSY_MS = 150;
const IDLE_MS = 250;
const TROUBLE_MS = 500;
/** How often the gates are looked at: this long spends may be refused before a Redis that came back is checked. */
const GATES_MS = 500;

/**
 * Keeps the ledger up with the spends, and opens the shards of a Redis that came back. A plain loop in each worker, not
 * a job: it must run when BullMQ's own keys are gone. Returns how to stop it.
 */
export function startProjector(ctx: Context): () => Promise<void> {
  const stopping = new AbortController();
  const running = run(ctx, stopping.signal);
  return async () => {
    stopping.abort();
    await running;
  };
}

async function run(ctx: Context, stopped: AbortSignal): Promise<void> {
  let gatesDueMs = 0;
  let inTrouble = false;
  while (!stopped.aborted) {
    try {
      if (performance.now() >= gatesDueMs) {
        await keepGates(ctx);
        gatesDueMs = performance.now() + GATES_MS;
      }
      const moved = await projectRound(ctx);
      if (inTrouble) ctx.log.info('the ledger is kept up again');
      inTrouble = false;
      await pause(moved > 0 ? BUSY_MS : IDLE_MS, stopped);
    } catch (error) {
      if (!inTrouble) ctx.log.warn({ err: error }, 'the ledger falls behind; trying again');
      inTrouble = true;
      await pause(TROUBLE_MS, stopped);
    }
  }
}

async function keepGates(ctx: Context): Promise<void> {
  const shut = await shutShards(ctx);
  ctx.metrics.gatesShut.set(shut.size);
  if (shut.size === 0) return;
  await recoverCredits(ctx);
  ctx.metrics.gatesShut.set((await shutShards(ctx)).size);
}

/** Entries that were moved. Of several workers one wins each round; the others look again later. */
async function projectRound(ctx: Context): Promise<number> {
  const shards = await shardsWithEntries(ctx);
  if (shards.length === 0) {
    ctx.metrics.ledgerLag.set(0);
    return 0;
  }
  return projectLedger(ctx, shards);
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
