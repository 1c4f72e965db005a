import { raiseOrganizationVersion } from '../organizations/versions.ts';
import { joinPlans, type Plan } from '../platform/context/commit-plan.ts';
import { planEvaluation } from './plan-evaluation.ts';

/**
 * The plan of every change of an organization's budgets or teams: no signal is counted by the rules before it without
 * meeting it, and the open windows are evaluated. Pure.
 */
export function planRuleChange(orgId: string, nowMs: number): Plan {
  const raised = { writes: raiseOrganizationVersion(orgId), wakeUps: [] };
  return joinPlans(raised, planEvaluation(orgId, { shard: 0, earliestEndMs: nowMs, nowMs }));
}
