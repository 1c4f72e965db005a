import { inTurns } from '../../../platform/basics/in-batches.ts';
import type { Context } from '../../../platform/context/context.ts';
import { currentShard } from '../../../platform/mongo/counter-shards.ts';
import { commitByRules, knownRules } from '../../limits/budgets/rules/rules.ts';
import { checkSignal, type Draft, reject, type Sender } from '../signals/check-signal.ts';
import type { SignalResult } from '../signals/input.ts';
import { judge, sayAll } from './ask-wings.ts';
import { findOverLimit } from './count-values.ts';
import { decideBatch, isCounted, type Outcome } from './decide-batch.ts';
import { signalBatchSize, signalsRecorded } from './metrics.ts';
import { priceDrafts } from './price-drafts.ts';
import { takeTurn } from './take-turn.ts';

interface Posting {
  historical?: boolean;
  /** The places that the signals say are of the telemetry that they came with: contexts go before them. */
  isTelemetry?: boolean;
  /** The look-up of the key, which commits nothing before it resolves. */
  confirmed?: Promise<unknown> | undefined;
}

/** Signals that are checked in one turn of the event loop: a thousand take 15 ms, and 35 with a collection of garbage. */
const CHECKED_AT_ONCE = 250;

/**
 * Records posted signals: one result per signal, in order; one bad signal never loses the others. Repeating a batch
 * changes nothing. `historical` signals raise no events when they are older than the session timeout and an hour. Throws
 * only when a store fails, and then nothing of the batch was kept (or a repeat finds it).
 */
export async function recordSignals(
  ctx: Context,
  sender: Sender,
  posted: readonly unknown[],
  { historical = false, isTelemetry = false, confirmed }: Posting = {},
): Promise<SignalResult[]> {
  const nowMs = ctx.clock.now();
  const say = sayAll(ctx, sender.orgId, { isTelemetry });
  const checked: ReturnType<typeof checkSignal>[] = [];
  for await (const some of inTurns(posted, CHECKED_AT_ONCE))
    checked.push(...some.map((signal) => checkSignal(signal, sender, nowMs, say)));
  const drafts = checked.filter((result) => '_id' in result);
  const turn = { item: { drafts, historical, confirmed }, weight: drafts.length, run: recordPosted };
  const outcomes = drafts.length === 0 ? [] : await takeTurn(ctx, sender.orgId, turn);
  let next = 0;
  const results = checked.map((result) =>
    '_id' in result ? toResult(sender, result, outcomes[next++] as Outcome) : result,
  );
  for (const { status } of results) signalsRecorded(ctx).inc({ status });
  return results;
}

/** An id is taken once in an organization; a bound sender learns that, and nothing else about another user's signal. */
function toResult(sender: Sender, { id }: Draft, outcome: Outcome): SignalResult {
  if (outcome.status === 'over_limit')
    return reject(
      id,
      'too_many_values',
      `${outcome.field}: the organization has as many today as it may have`,
    );
  if (outcome.status === 'rejected')
    return reject(id, 'too_many_models', 'model: the session has as many models as it may have');
  if (sender.boundUserId !== null && outcome.user_id !== sender.boundUserId)
    return reject(id, 'id_taken', 'id: is taken by a signal that this key does not see; choose another');
  if (outcome.status === 'kept_out') return outcome.result;
  return { id, status: outcome.status, session_id: outcome.session_id };
}

interface Posted extends Pick<Posting, 'confirmed'> {
  drafts: readonly Draft[];
  historical: boolean;
}

/** The write path: signals, sessions, rollups, budget windows, events and due rows of these requests, all or nothing. */
async function recordPosted(ctx: Context, orgId: string, batches: readonly Posted[]): Promise<Outcome[][]> {
  const drafts = batches.flatMap((posted) => posted.drafts);
  const historical = new Set(batches.flatMap((posted) => (posted.historical ? posted.drafts : [])));
  const known = await knownRules(ctx, orgId);
  priceDrafts(drafts, known.prices);
  const judged = judge(ctx, { drafts, historical }, known.organization);
  const doubted = new Set([...judged.doubted.values()].flatMap((own) => [...own]));
  // A signal that a wing will keep out is no value of the day.
  const counted = doubted.size === 0 ? drafts : drafts.filter((draft) => !doubted.has(draft));
  const overLimit = findOverLimit(ctx, orgId, counted);
  // History is often sent twice, and planning it for nothing takes longer than to read first.
  const isUsual = historical.size === 0 && doubted.size === 0;
  const { outcomes, committed } = await commitByRules(
    ctx,
    orgId,
    { shardOf: currentShard, assumed: isUsual ? known : null, letsChangesPass: true },
    async (attempt, transaction) => {
      const decision = await decideBatch(
        ctx,
        attempt,
        { drafts, historical, overLimit, judged },
        transaction,
      );
      for (const { confirmed } of batches) await confirmed;
      return decision;
    },
  );
  for (const remember of committed) remember();
  signalBatchSize(ctx).observe(outcomes.filter(isCounted).length);
  return batches.map((posted) => outcomes.splice(0, posted.drafts.length));
}
