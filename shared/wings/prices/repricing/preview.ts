import { hash, randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { currentActor } from '../../../core/accounts/audit/record-audit.ts';
import { beginCreation } from '../../../core/accounts/idempotency/creation.ts';
import { confirmActor } from '../../../core/accounts/keys/confirm-actor.ts';
import { ownPriceOf, priceSignal } from '../../../core/calls/ingest/price-signal.ts';
import { type Rules, readRules } from '../../../core/limits/budgets/rules/rules.ts';
import type { PriceBook } from '../../../core/pricing/rules/price-book.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import { DomainError, invalid } from '../../../platform/basics/errors.ts';
import { newId } from '../../../platform/basics/ids.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { perContext } from '../../../platform/context/per-context.ts';
import { currentShard } from '../../../platform/mongo/counter-shards.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import { deleteRows, insertRow, type Write } from '../../../platform/mongo/writes.ts';
import type { RepricingInput } from './input.ts';
import { openMeasures } from './measures.ts';
import { type Repricing, repricingPartRows, repricingRows } from './model.ts';
import { isSamePrice, priceOf, type RepricedSignal } from './pack-part.ts';
import { type RecordedCall, readCalls } from './read-calls.ts';
import { openParts } from './write-parts.ts';

/** Calls that one repricing looks at; more are a 400. */
const MOST_CALLS = 300_000;
/** Previews that an organization has at a time: another one takes the place of the oldest. */
const MOST_PREVIEWS = 3;

/** The organizations of which this process makes a preview. */
const busy = perContext(() => new Set<string>());

/**
 * Prices recorded calls by the rules that hold now, and keeps what would change. No call changes before it is applied. Throws
 * `invalid_request` for what lies too far back and for too many calls, `conflict` while another preview of the organization is made,
 * and as `confirmActor`.
 */
export async function previewRepricing(
  ctx: Context,
  orgId: string,
  input: RepricingInput,
  mostCalls = MOST_CALLS,
): Promise<Repricing> {
  if (input.from < ctx.clock.now() - SIGNAL_AGE_MS.behind)
    throw invalid('Calls of the last 35 days can be priced anew.', '/from', 'is more than 35 days back');
  if (busy(ctx).has(orgId))
    throw new DomainError(
      'conflict',
      'Another preview of the organization is being made. Try again after it.',
    );
  busy(ctx).add(orgId);
  const parts_set = randomUUID();
  try {
    return await keepPreview(ctx, await makePreview(ctx, orgId, input, { parts_set, mostCalls }));
  } catch (error) {
    // One whose commit was not answered may be there.
    if (error instanceof DomainError) await repricingPartRows(ctx).deleteMany({ org_id: orgId, parts_set });
    throw error;
  } finally {
    busy(ctx).delete(orgId);
  }
}

async function makePreview(
  ctx: Context,
  orgId: string,
  input: RepricingInput,
  { parts_set, mostCalls }: Pick<Asked, 'parts_set' | 'mostCalls'>,
): Promise<Repricing> {
  const rules = await inTransaction(ctx.db, (transaction) =>
    readRules(ctx, orgId, currentShard(), transaction),
  );
  const asked = {
    org_id: orgId,
    from: dateAt(input.from),
    to: dateAt(input.to),
    model: input.model ?? null,
    provider: input.provider ?? null,
    only_unpriced: input.only_unpriced,
  };
  const created_at = dateAt(ctx.clock.now());
  const counted = await priceCalls(ctx, rules, { asked, created_at, parts_set, mostCalls });
  return {
    _id: newId('rpc'),
    state: 'preview',
    ...asked,
    ...counted,
    rules: hashOfRules(rules.prices),
    parts_set,
    parts_done: 0,
    applied: 0,
    skipped: 0,
    created_at,
    created_by: currentActor() ?? ctx.actor,
    applied_at: null,
  };
}

interface Asked {
  asked: Parameters<typeof readCalls>[1];
  created_at: Date;
  parts_set: string;
  mostCalls: number;
}

async function priceCalls(
  ctx: Context,
  { organization, prices }: Rules,
  { asked, created_at, parts_set, mostCalls }: Asked,
) {
  const measures = openMeasures(organization);
  const parts = openParts(ctx, { org_id: asked.org_id, parts_set, created_at });
  for await (const calls of readCalls(ctx, asked)) {
    if (measures.count() + calls.length > mostCalls)
      throw invalid(
        `There are more than ${mostCalls} calls. Ask for a shorter time, one model or one provider.`,
        '/to',
        `leaves more than ${mostCalls} calls`,
      );
    const signals = calls.map((call) => reprice(call, prices));
    for (const [at, { before, after }] of signals.entries()) {
      const { ts, model } = calls[at] as RecordedCall;
      const cost = after ? after.cost_nusd : before.cost_nusd;
      measures.add({ ts, model, before: before.cost_nusd, after: cost, isChanged: after !== null });
    }
    await parts.add(signals, calls);
  }
  return { ...measures.end(), ...(await parts.end()) };
}

/** A recorded call as the rules price it now: as if it were recorded by them. */
function reprice(call: RecordedCall, prices: PriceBook): RepricedSignal {
  const before = priceOf(call);
  const price = priceSignal(call, ownPriceOf(call), prices);
  const isSame = isSamePrice(before, priceOf(price));
  return { id: call._id, before, after: isSame ? null : price };
}

/** A text that differs when any price rule does. */
export function hashOfRules({ rules }: PriceBook): string {
  const ordered = rules.toSorted((a, b) => (a._id < b._id ? -1 : 1));
  const facts = ordered.map(({ _id, name, from, to, match, effect, replaces_reported }) => [
    _id,
    name,
    from,
    to,
    match,
    effect,
    replaces_reported,
  ]);
  return hash('sha256', JSON.stringify(facts), 'base64url');
}

async function keepPreview(ctx: Context, preview: Repricing): Promise<Repricing> {
  return commitPlan(ctx, async (transaction) => {
    await beginCreation(ctx, 'rpc', transaction);
    const { org_id } = preview;
    const actor = await confirmActor(ctx, { orgId: org_id, role: 'admin' }, transaction);
    const older = await findPreviews(ctx, org_id, transaction);
    const gone = older.slice(0, Math.max(0, older.length - MOST_PREVIEWS + 1));
    const writes = [...actor.writes, ...gone.flatMap(removePreview), insertRow(repricingRows, preview)];
    return { writes, result: preview };
  });
}

/** The previews of an organization, oldest first. */
function findPreviews(ctx: Context, org_id: string, transaction: ClientSession) {
  return repricingRows(ctx)
    .find({ org_id, state: 'preview' }, { session: transaction })
    .sort({ created_at: 1 })
    .project<Pick<Repricing, '_id' | 'org_id' | 'parts_set'>>({ org_id: 1, parts_set: 1 })
    .toArray();
}

/** The writes that remove a preview with its parts. One that is applied meanwhile conflicts. */
export function removePreview({
  _id,
  org_id,
  parts_set,
}: Pick<Repricing, '_id' | 'org_id' | 'parts_set'>): Write[] {
  return [deleteRows(repricingRows, { _id, org_id }), deleteRows(repricingPartRows, { org_id, parts_set })];
}
