import type { ClientSession } from 'mongoose';
import { cachedRules, cacheRules } from '../budgets/rules.ts';
import { describeHeld } from '../held/view.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { currentShard, moveToOtherShard } from '../platform/mongo/counter-shards.ts';
import { checkSignal, type Draft, reject, type Sender } from '../signals/check-signal.ts';
import type { SignalResult } from '../signals/input.ts';
import { rememberSeen, sayings } from './attribute-signals.ts';
import { findOverLimit, rememberValues } from './count-values.ts';
import { decideBatch, type Outcome } from './decide-batch.ts';
import { signalBatchSize, signalsHeld, signalsRecorded } from './metrics.ts';
import { findImplausible } from './plan-held.ts';
import { takeTurn } from './take-turn.ts';

interface Posting {
  historical?: boolean;
  /** The places that the signals say are of the telemetry that they came with: contexts go before them. */
  isTelemetry?: boolean;
}

/**
 * Records posted signals: one result per signal, in order; one bad signal never loses the others. Repeating a batch
 * changes nothing. `historical` signals raise no events when they are older than the session timeout and an hour. Throws
 * only when a store fails, and then nothing of the batch was kept (or a repeat finds it).
 */
export async function recordSignals(
  ctx: Context,
  sender: Sender,
  posted: readonly unknown[],
  { historical = false, isTelemetry = false }: Posting = {},
): Promise<SignalResult[]> {
  const nowMs = ctx.clock.now();
  const say = sayings(ctx, sender.orgId, isTelemetry);
  const checked = posted.map((signal) => checkSignal(signal, sender, nowMs, say));
  const drafts = checked.filter((result) => '_id' in result);
  const outcomes = drafts.length === 0 ? [] : await submit(ctx, sender.orgId, { drafts, historical });
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
  switch (outcome.status) {
    case 'held': {
      const { held } = outcome;
      return { id, status: 'held', held_id: held._id, code: 'implausible', detail: describeHeld(held) };
    }
    case 'discarded':
      return reject(id, 'discarded', 'an admin has discarded it; post the true call under another id');
    case 'too_many_held':
      return reject(id, 'too_many_held', 'too many held signals wait for a decision of an admin');
    case 'accepted':
    case 'duplicate':
      return { id, status: outcome.status, session_id: outcome.session_id };
  }
}

/** The valid signals of one request. */
interface Posted {
  drafts: readonly Draft[];
  historical: boolean;
}

/** One transaction per organization at a time; signals that arrive meanwhile join the next one. */
function submit(ctx: Context, orgId: string, posted: Posted): Promise<Outcome[]> {
  return takeTurn(ctx, orgId, {
    item: posted,
    weight: posted.drafts.length,
    run: recordPosted,
  });
}

async function recordPosted(ctx: Context, orgId: string, batches: readonly Posted[]): Promise<Outcome[][]> {
  const outcomes = await recordBatch(ctx, orgId, batches);
  return batches.map(({ drafts }) => outcomes.splice(0, drafts.length));
}

/** The write path: signals, sessions, rollups, budget windows, events and due rows, all or nothing. */
async function recordBatch(ctx: Context, orgId: string, batches: readonly Posted[]): Promise<Outcome[]> {
  const drafts = batches.flatMap((posted) => posted.drafts);
  const past = batches.flatMap((posted) => (posted.historical ? posted.drafts : []));
  const historical = new Set(past);
  const overLimit = await findOverLimit(ctx, orgId, await withoutHeld(ctx, orgId, drafts, historical));
  const batch = { drafts, historical, overLimit };
  let attempts = 0;
  const decide = (transaction: ClientSession) => {
    attempts += 1;
    if (attempts > 1) moveToOtherShard();
    return decideBatch(ctx, orgId, batch, { shard: currentShard(), isFirst: attempts === 1 }, transaction);
  };
  const { outcomes, rules, held, seen } = await commitPlan(ctx, decide, { onDuplicateKey: 'retry' });
  cacheRules(ctx, rules);
  rememberSeen(ctx, { orgId, contexts: rules.contexts }, seen);
  signalsHeld(ctx).inc(held);
  const kept = drafts.filter((_, index) => !UNCOUNTED.has(outcomes[index]?.status ?? ''));
  if (overLimit.size > 0) rememberValues(ctx, orgId, kept);
  signalBatchSize(ctx).observe(kept.length);
  return outcomes;
}

/** Outcomes of signals whose values do not count. */
const UNCOUNTED: ReadonlySet<string> = new Set<Outcome['status']>([
  'over_limit',
  'held',
  'discarded',
  'too_many_held',
]);

/** The signals whose values count: what will be held is no value of the day. */
async function withoutHeld(
  ctx: Context,
  orgId: string,
  drafts: readonly Draft[],
  historical: ReadonlySet<Draft>,
): Promise<readonly Draft[]> {
  if (!ctx.config.rateLimits) return drafts;
  const organization = cachedRules(ctx, orgId)?.organization ?? (await readOrganization(ctx, orgId));
  const above = findImplausible(drafts, historical, organization, ctx.clock.now());
  return above.size === 0 ? drafts : drafts.filter((draft) => !above.has(draft));
}
