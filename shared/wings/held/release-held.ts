import { auditWrite } from '../../core/accounts/audit/record-audit.ts';
import { decideBatch } from '../../core/calls/ingest/decide-batch.ts';
import { signalsRecorded } from '../../core/calls/ingest/metrics.ts';
import { commitByRules } from '../../core/limits/budgets/rules/rules.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { joinPlans, NO_PLAN } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { secondShard } from '../../platform/mongo/counter-shards.ts';
import { type Decided, findNamed, outcomesOf, planDecision } from './decide.ts';

const NOTHING_HISTORICAL = new Set<never>();
const NOTHING_OVER_LIMIT = new Map<never, never>();

/**
 * Records held signals by the write path of all signals, whatever their size, in one transaction with their decision. Returns
 * the outcome for each id. Repeating it changes nothing.
 */
export async function releaseHeld(ctx: Context, orgId: string, ids: readonly string[]): Promise<Decided[]> {
  const { outcomes, recorded, committed } = await commitByRules(
    ctx,
    orgId,
    { shardOf: secondShard, letsChangesPass: true },
    async (attempt, transaction) => {
      const named = await findNamed(ctx, orgId, ids, transaction);
      if (named.pending.length === 0)
        return {
          ...NO_PLAN,
          result: { outcomes: outcomesOf(ids, named, new Map()), recorded: 0, committed: [] },
        };
      const received_at = dateAt(ctx.clock.now());
      const drafts = named.pending.map(({ signal }) => ({ ...signal, received_at }));
      const batch = {
        drafts,
        historical: NOTHING_HISTORICAL,
        overLimit: NOTHING_OVER_LIMIT,
        isReleased: true,
      };
      const { result, ...recording } = await decideBatch(ctx, attempt, batch, transaction);
      const now = new Map<string, Decided>();
      const marks = named.pending.map((row, index) => {
        const outcome = result.outcomes[index];
        if (!outcome || !('session_id' in outcome))
          throw new Error(`Held signal ${row._id} found no session`);
        const { session_id } = outcome;
        now.set(row._id, { id: row._id, status: 'released', session_id });
        return planDecision(ctx, row, { state: 'released', session_id });
      });
      const sum = (amountOf: (draft: (typeof drafts)[number]) => number) =>
        drafts.reduce((total, draft) => total + amountOf(draft), 0);
      const details = {
        held_ids: [...now.keys()],
        tokens: sum(({ tokens_in, tokens_out }) => tokens_in + tokens_out),
        cost_usd: sum(({ cost_nusd }) => cost_nusd ?? 0) / 1e9,
      };
      const audit = auditWrite(ctx, { action: 'signals.release', org_id: orgId, details });
      const plan = joinPlans(recording, { writes: [...marks, audit] });
      const { committed } = result;
      return { ...plan, result: { outcomes: outcomesOf(ids, named, now), recorded: now.size, committed } };
    },
  );
  for (const remember of committed) remember();
  signalsRecorded(ctx).inc({ status: 'accepted' }, recorded);
  return outcomes;
}
