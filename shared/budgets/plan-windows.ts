import { dateAt } from '../platform/basics/clock.ts';
import { mapAtPace } from '../platform/basics/next-turn.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import type { SessionChange } from '../sessions/plan-sessions.ts';
import type { CountedSignal } from '../usage/plan-rollups.ts';
import { type BudgetSet, countSignals, type WindowChange } from './count-signals.ts';
import { windowKey } from './keys.ts';
import { budgetWindowRows, COUNTED } from './model.ts';
import { planEvaluation } from './plan-evaluation.ts';

/**
 * The plan that adds signals and new or moved sessions to the windows of every matching budget, in their own
 * transaction, and asks for an evaluation when something was added, unless it is silent. Pure, at a pace that holds nobody
 * up.
 */
export async function planWindows(
  orgId: string,
  set: BudgetSet,
  changed: { signals: readonly CountedSignal[]; sessions: readonly SessionChange[] },
  { shard, nowMs, isSilent = false }: { shard: number; nowMs: number; isSilent?: boolean },
): Promise<Plan> {
  if (set.byScope.size === 0) return NO_PLAN;
  const changes = await countSignals(set, changed.signals, changed.sessions, nowMs);
  if (changes.length === 0) return NO_PLAN;
  const earliestEndMs = Math.min(...changes.map(({ interval }) => interval.endMs));
  const writes = await mapAtPace(changes, (change) => incrementOf(orgId, change, shard));
  if (isSilent) return { writes, wakeUps: [] };
  return joinPlans({ writes, wakeUps: [] }, planEvaluation(orgId, { shard, earliestEndMs, nowMs }));
}

function incrementOf(orgId: string, { counter, interval, usage }: WindowChange, shard: number): Write {
  return updateRow(
    budgetWindowRows,
    { _id: windowKey(orgId, counter, interval.startMs, shard) },
    {
      $inc: Object.fromEntries(COUNTED.map((measure) => [measure, usage[measure]])),
      $setOnInsert: {
        org_id: orgId,
        counter,
        window_start: dateAt(interval.startMs),
        window_end: dateAt(interval.endMs),
      },
    },
    { upsert: true, shard: { org_id: orgId } },
  );
}
