import { auditWrite } from '../audit/record-audit.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { type Decided, findNamed, outcomesOf, planDecision } from './decide.ts';

/** Discards held signals for good, and returns the outcome for each id. Repeating it changes nothing. */
export async function discardHeld(ctx: Context, orgId: string, ids: readonly string[]): Promise<Decided[]> {
  return commitPlan(ctx, async (transaction) => {
    const named = await findNamed(ctx, orgId, ids, transaction);
    const discarded = named.pending.map((row) =>
      planDecision(ctx, row, { state: 'discarded', session_id: null }),
    );
    const now = new Map(
      named.pending.map(({ _id }): [string, Decided] => [_id, { id: _id, status: 'discarded' }]),
    );
    const details = { held_ids: [...now.keys()] };
    const audit = auditWrite(ctx, { action: 'signals.discard', org_id: orgId, details });
    const writes = discarded.length === 0 ? [] : [...discarded, audit];
    return { writes, wakeUps: [], result: outcomesOf(ids, named, now) };
  });
}
