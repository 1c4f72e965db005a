import { organizationRows } from '../core/accounts/organizations/model.ts';
import { wingsOf } from '../core/hooks/wing.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { clearDue, readDue } from '../platform/due/plan-due.ts';
import { hashNamesJob } from './jobs.ts';

/**
 * Puts hashes in the place of the names that an organization has kept in plain text, once it hides names. New rows have hashes
 * already. A worker that dies is followed by one that begins again.
 */
export async function hashNames(ctx: Context, orgId: string): Promise<void> {
  const organization = await organizationRows(ctx).findOne({ _id: orgId });
  if (organization?.hash_names === true)
    for (const wing of wingsOf(ctx)) await wing.organization?.hashNames?.(ctx, orgId);
  await commitPlan(ctx, async (transaction) => {
    const due = await readDue(ctx, hashNamesJob, orgId, transaction);
    return due ? { writes: [clearDue(hashNamesJob, orgId)], result: null } : { result: null };
  });
}
