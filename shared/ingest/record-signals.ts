import { SIGNALS_PER_REQUEST } from '../platform/basics/contract.ts';
import type { Batching } from '../platform/context/batcher.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { currentShard, moveToOtherShard } from '../platform/mongo/counter-shards.ts';
import { checkSignal, type Draft, reject, type Sender } from '../signals/check-signal.ts';
import type { SignalResult } from '../signals/input.ts';
import { decideBatch, type Recorded } from './decide-batch.ts';
import { signalBatchSize, signalsRecorded } from './metrics.ts';
import { keepRules } from './read-rules.ts';

/**
 * Records posted signals: one result per signal, in order; one bad signal never loses the others. Repeating a batch
 * changes nothing. Throws only when a store fails, and then nothing of the batch was kept (or a repeat finds it).
 */
export async function recordSignals(
  ctx: Context,
  sender: Sender,
  posted: readonly unknown[],
): Promise<SignalResult[]> {
  const nowMs = ctx.clock.now();
  const checked = posted.map((signal) => checkSignal(signal, sender, nowMs));
  const drafts = checked.filter((result) => '_id' in result);
  const recorded =
    drafts.length === 0
      ? []
      : await ctx.batcher.submit(`signals ${sender.orgId}`, drafts, signalBatching(ctx, sender.orgId));
  let next = 0;
  const results = checked.map((result) =>
    '_id' in result ? toResult(sender, result, recorded[next++] as Recorded) : result,
  );
  for (const result of results) signalsRecorded(ctx).inc({ status: result.status });
  return results;
}

/** A key's id is taken once in an organization; a bound sender learns that, and nothing of another user's signal. */
function toResult(sender: Sender, { id }: Draft, { status, session_id, user_id }: Recorded): SignalResult {
  if (sender.boundUserId !== null && user_id !== sender.boundUserId)
    return reject(id, 'id_taken', 'id: is taken by a signal that this key does not see; choose another');
  return { id, status, session_id };
}

/** A fraction of what a transaction costs however little is in it. */
const LINGER_MS = 4;

/** One transaction per organization at a time; what arrives meanwhile joins the next one. */
function signalBatching(ctx: Context, orgId: string): Batching<readonly Draft[], Recorded[]> {
  return {
    maxWeight: SIGNALS_PER_REQUEST,
    weigh: (drafts) => drafts.length,
    lingerMs: LINGER_MS,
    run: async (batches) => {
      const drafts = batches.flat();
      const results = await recordBatch(ctx, orgId, drafts);
      signalBatchSize(ctx).observe(drafts.length);
      let from = 0;
      return batches.map((batch) => {
        from += batch.length;
        return results.slice(from - batch.length, from);
      });
    },
  };
}

/** The write path: signals, sessions, rollups, budget windows, events and what is due, all or nothing. */
async function recordBatch(ctx: Context, orgId: string, drafts: readonly Draft[]): Promise<Recorded[]> {
  let attempts = 0;
  const { recorded, rules } = await commitPlan(ctx, (transaction) => {
    attempts += 1;
    if (attempts > 1) moveToOtherShard();
    return decideBatch(ctx, orgId, drafts, currentShard(), transaction);
  });
  keepRules(ctx, rules);
  return recorded;
}
