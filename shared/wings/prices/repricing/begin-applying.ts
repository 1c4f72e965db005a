import type { ClientSession } from 'mongoose';
import { auditWrite } from '../../../core/accounts/audit/record-audit.ts';
import { confirmActor } from '../../../core/accounts/keys/confirm-actor.ts';
import { organizationRows } from '../../../core/accounts/organizations/model.ts';
import { signalRows } from '../../../core/calls/signals/model.ts';
import { commitByRules } from '../../../core/limits/budgets/rules/rules.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { commitPlan, joinPlans } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { insertDue } from '../../../platform/due/plan-due.ts';
import { secondShard } from '../../../platform/mongo/counter-shards.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { findOwn } from '../../../platform/mongo/find-own.ts';
import { deleteRows, updateRow } from '../../../platform/mongo/writes.ts';
import { applyRepricingJob } from './jobs.ts';
import { PREVIEW_KEPT_MS, partId, type Repricing, repricingPartRows, repricingRows } from './model.ts';
import { isSamePrice, priceOf, type RepricedSignal, unpackPart } from './pack-part.ts';
import { hashOfRules, removePreview } from './preview.ts';

declare module '../../../core/accounts/organizations/model.ts' {
  interface Organization {
    /** Rises with every repricing that is begun, so that two at one time conflict. */
    repricings_begun?: number;
  }
}

export const getRepricing = findOwn(repricingRows, 'repricing');

/**
 * Has workers apply a preview, after it has found that each call of it is as it was and that the price rules are the same.
 * Those of one organization are applied one after the other. Repeating it changes nothing. Throws `not_found`, `preview_stale`, and as
 * `confirmActor`.
 */
export async function beginApplying(ctx: Context, orgId: string, id: string): Promise<Repricing> {
  const preview = await getRepricing(ctx, orgId, id);
  if (preview.state !== 'preview') return preview;
  if (preview.created_at.getTime() + PREVIEW_KEPT_MS <= ctx.clock.now())
    throw stale('It is more than a day old.');
  const begun = await countBegun(ctx, orgId);
  const other = { org_id: orgId, state: 'applying' as const, _id: { $ne: id } };
  if (await repricingRows(ctx).findOne(other)) throw stale(OTHER);
  await refuseChanged(ctx, preview);
  return commitByRules(ctx, orgId, { shardOf: secondShard }, async ({ rules }, transaction) => {
    const actor = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const before = await getRepricing(ctx, orgId, id, transaction);
    if (before.state !== 'preview') return { result: before };
    if ((await countBegun(ctx, orgId, { session: transaction })) !== begun) throw stale(OTHER);
    if (hashOfRules(rules.prices) !== before.rules) throw stale('Price rules have changed since.');
    const { from, to, model, provider, only_unpriced, changed, parts_set, staying_parts } = before;
    const about = { from, to, model, provider, only_unpriced, signals: changed };
    const costs = { cost_usd_before: usdOf(before.cost_before), cost_usd_after: usdOf(before.cost_after) };
    const details = { repricing_id: id, ...about, ...costs };
    const staying = Array.from({ length: staying_parts }, (_, at) => partId(parts_set, 'staying', at));
    const writes = [
      ...actor.writes,
      updateRow(repricingRows, { _id: id }, { $set: { state: 'applying' } }),
      updateRow(organizationRows, { _id: orgId }, { $inc: { repricings_begun: 1 } }),
      deleteRows(repricingPartRows, { _id: { $in: staying } }),
      auditWrite(ctx, { action: 'repricing.apply', org_id: orgId, details }),
    ];
    const due = insertDue(applyRepricingJob, { key: id, orgId, dueMs: ctx.clock.now() });
    return { ...joinPlans({ writes }, due), result: { ...before, state: 'applying' } };
  });
}

const OTHER = 'Another repricing is being applied.';

/** Counts the repricings that the organization has begun: while it stays the same, no other one begins. */
async function countBegun(
  ctx: Context,
  orgId: string,
  options: { session?: ClientSession } = {},
): Promise<number> {
  const row = await organizationRows(ctx).findOne(
    { _id: orgId },
    { ...options, projection: { repricings_begun: 1 } },
  );
  return row?.repricings_begun ?? 0;
}

function usdOf(nusd: string): number {
  return Number(nusd) / 1e9;
}

/** Throws `preview_stale` when a call of the preview has another price by now, or was voided. */
async function refuseChanged(ctx: Context, { parts_set, parts, staying_parts }: Repricing): Promise<void> {
  const kinds = [
    ['changing', parts],
    ['staying', staying_parts],
  ] as const;
  for (const [kind, count] of kinds)
    for (let at = 0; at < count; at += 1) {
      const row = await repricingPartRows(ctx).findOne({ _id: partId(parts_set, kind, at) });
      // One that is gone was removed, or is being applied: the transaction that follows finds out.
      const signals = row ? unpackPart(row.packed) : [];
      const same = await findSame(ctx, signals);
      if (same.size < signals.length) throw stale('Calls have changed since.');
    }
}

const COMPARED = { cost_nusd: 1, cost_source: 1, 'price_rule.id': 1, voided: 1 } as const;

/** The ids of those signals that count, with the price that they had before. */
async function findSame(ctx: Context, signals: readonly RepricedSignal[]): Promise<ReadonlySet<string>> {
  const before = new Map(signals.map((signal) => [signal.id, signal.before]));
  const rows = await findByIds(signalRows(ctx), [...before.keys()], undefined, COMPARED);
  const same = rows.filter((row) => {
    const had = before.get(row._id);
    return row.voided === undefined && had !== undefined && isSamePrice(had, priceOf(row));
  });
  return new Set(same.map(({ _id }) => _id));
}

function stale(why: string): DomainError {
  return new DomainError('preview_stale', `Nothing was changed. ${why} Make another preview.`);
}

/** Removes a preview. Throws `not_found`, `conflict` for one that was begun, and as `confirmActor`. */
export async function cancelRepricing(ctx: Context, orgId: string, id: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const actor = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const row = await getRepricing(ctx, orgId, id, transaction);
    if (row.state !== 'preview')
      throw new DomainError('conflict', 'The repricing has begun, so it cannot be cancelled.');
    return { writes: [...actor.writes, ...removePreview(row)], result: undefined };
  });
}
