import type { ClientSession } from 'mongoose';
import { SIGNALS_PER_REQUEST } from '../platform/basics/contract.ts';
import { mapAtPace } from '../platform/basics/next-turn.ts';
import type { Batching } from '../platform/context/batcher.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { currentShard, moveToOtherShard } from '../platform/mongo/counter-shards.ts';
import { checkSignal, type Draft, reject, type Sender } from '../signals/check-signal.ts';
import type { SignalResult } from '../signals/input.ts';
import { findExcess } from './count-values.ts';
import { type Batch, decideBatch, type Outcome } from './decide-batch.ts';
import { signalBatchSize, signalsRecorded } from './metrics.ts';
import { keepRules } from './read-rules.ts';

/**
 * Records posted signals: one result per signal, in order; one bad signal never loses the others. Repeating a batch
 * changes nothing. `historical` signals raise no events when they are older than the session timeout and an hour. Throws
 * only when a store fails, and then nothing of the batch was kept (or a repeat finds it).
 */
export async function recordSignals(
  ctx: Context,
  sender: Sender,
  posted: readonly unknown[],
  { historical = false }: { historical?: boolean } = {},
): Promise<SignalResult[]> {
  const nowMs = ctx.clock.now();
  const checked = await mapAtPace(posted, (signal) => checkSignal(signal, sender, nowMs));
  const drafts = checked.filter((result) => '_id' in result);
  const outcomes =
    drafts.length === 0
      ? []
      : await ctx.batcher.submit(
          `signals ${sender.orgId}`,
          { drafts, historical },
          signalBatching(ctx, sender.orgId),
        );
  let next = 0;
  const results = checked.map((result) =>
    '_id' in result ? toResult(sender, result, outcomes[next++] as Outcome) : result,
  );
  for (const result of results) signalsRecorded(ctx).inc({ status: result.status });
  return results;
}

/** A key's id is taken once in an organization; a bound sender learns that, and nothing of another user's signal. */
function toResult(sender: Sender, { id }: Draft, outcome: Outcome): SignalResult {
  if (outcome.status === 'excess')
    return reject(
      id,
      'too_many_values',
      `${outcome.field}: the organization has as many today as it may have`,
    );
  if (outcome.status === 'rejected')
    return reject(id, 'too_many_models', 'model: the session has as many models as it may have');
  const { status, session_id, user_id } = outcome;
  if (sender.boundUserId !== null && user_id !== sender.boundUserId)
    return reject(id, 'id_taken', 'id: is taken by a signal that this key does not see; choose another');
  return { id, status, session_id };
}

/** What one request brings to a batch. */
interface Posted {
  drafts: readonly Draft[];
  historical: boolean;
}

/** About what reading sixteen requests takes, so those that were answered are back within it. */
const LINGER_MS = 12;

/** One transaction per organization at a time; what arrives meanwhile joins the next one. */
function signalBatching(ctx: Context, orgId: string): Batching<Posted, Outcome[]> {
  return {
    maxWeight: SIGNALS_PER_REQUEST,
    weigh: ({ drafts }) => drafts.length,
    lingerMs: LINGER_MS,
    run: async (batches) => {
      const drafts = batches.flatMap((posted) => posted.drafts);
      const past = batches.flatMap((posted) => (posted.historical ? posted.drafts : []));
      const excess = findExcess(ctx, orgId, drafts);
      // The transaction may fail before it asks for them.
      excess.catch(() => undefined);
      const results = await recordBatch(ctx, orgId, { drafts, historical: new Set(past), excess });
      let from = 0;
      return batches.map((posted) => {
        from += posted.drafts.length;
        return results.slice(from - posted.drafts.length, from);
      });
    },
  };
}

/** The write path: signals, sessions, rollups, budget windows, events and what is due, all or nothing. */
async function recordBatch(ctx: Context, orgId: string, batch: Batch): Promise<Outcome[]> {
  let attempts = 0;
  const decide = (transaction: ClientSession) => {
    attempts += 1;
    if (attempts > 1) moveToOtherShard();
    return decideBatch(ctx, orgId, batch, { shard: currentShard(), isFirst: attempts === 1 }, transaction);
  };
  const { outcomes, rules } = await commitPlan(ctx, decide, { onDuplicateKey: 'retry' });
  keepRules(ctx, rules);
  signalBatchSize(ctx).observe(outcomes.filter(({ status }) => status !== 'excess').length);
  return outcomes;
}
