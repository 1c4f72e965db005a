import { auditWrite } from '../../../core/accounts/audit/record-audit.ts';
import { confirmActor } from '../../../core/accounts/keys/confirm-actor.ts';
import { guardOrganizationRules } from '../../../core/accounts/organizations/versions.ts';
import { commitPlan, joinPlans } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { secondShard } from '../../../platform/mongo/counter-shards.ts';
import { deleteRows } from '../../../platform/mongo/writes.ts';
import { rememberFacts } from '../moves/plan-facts.ts';
import { renamesIn } from '../pull-requests/decide.ts';
import { noSuchPullRequest, pullRequestRows } from '../pull-requests/model.ts';
import { actOn, planDivided, undoneWrites } from './record-report.ts';

/**
 * Deletes a pull request: its calls belong to their branches alone, where another pull request of the branch does not claim them.
 * The names that a rename had joined are two branches again. A later report makes it anew. Throws `not_found`, also for another
 * organization's.
 */
export async function deletePullRequest(ctx: Context, orgId: string, id: string): Promise<void> {
  const facts = await commitPlan(ctx, async (transaction) => {
    const { writes: touched } = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const row = await pullRequestRows(ctx).findOne({ _id: id, org_id: orgId }, { session: transaction });
    if (!row) throw noSuchPullRequest();
    const undone = renamesIn(row);
    const writes = [
      ...touched,
      deleteRows(pullRequestRows, { _id: id, org_id: orgId }),
      ...undoneWrites(ctx, orgId, undone),
      guardOrganizationRules(orgId, secondShard()),
      auditWrite(ctx, { action: 'pull_request.delete', ...actOn(row) }),
    ];
    const divided = await planDivided(ctx, orgId, { boundaries: [], undone }, transaction);
    return { ...joinPlans({ writes }, divided), result: divided.facts };
  });
  if (facts !== null) rememberFacts(ctx, facts);
}
