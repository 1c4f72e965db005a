import { dateAt } from '../../../../platform/basics/clock.ts';
import type { Plan } from '../../../../platform/context/commit-plan.ts';
import { raiseDue } from '../../../../platform/due/plan-due.ts';
import { raiseOrganizationVersion } from '../../../accounts/organizations/versions.ts';
import { evaluateBudgetsJob } from './jobs.ts';

/**
 * The plan that asks for an evaluation of an organization's budgets, in windows that end at `earliestEndMs` or later. It
 * is raised in a counter shard (docs/adr/0040), so that processes that record signals do not write the same row. Pure.
 */
export function planEvaluation(
  orgId: string,
  { shard, earliestEndMs, nowMs }: { shard: number; earliestEndMs: number; nowMs: number },
): Plan {
  const least = { earliest_window_end: dateAt(earliestEndMs) };
  return raiseDue(evaluateBudgetsJob, { key: orgId, orgId, dueMs: nowMs, shard, least });
}

/**
 * The plan of every change of an organization's budgets or teams. It conflicts with signals that are counted by the rules
 * before it, has the open windows evaluated, and publishes the organization's id, so that the processes that check calls read
 * its budgets again. Pure.
 */
export function planRuleChange(orgId: string, nowMs: number): Plan {
  const { writes, wakeUps } = planEvaluation(orgId, { shard: 0, earliestEndMs: nowMs, nowMs });
  return {
    writes: [...raiseOrganizationVersion(orgId), ...writes],
    wakeUps: wakeUps.map((wakeUp) => ({ ...wakeUp, publish: orgId })),
  };
}
