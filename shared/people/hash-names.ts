import { organizationRows } from '../core/accounts/organizations/model.ts';
import { wingsOf } from '../core/hooks/wing.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { clearDue, readDue } from '../platform/due/plan-due.ts';
import { hashNamesJob } from './jobs.ts';

/** Hashes names that an organization kept in plain text before it hid them. Another worker begins again where one died. */
export async function hashNames(ctx: Context, orgId: string): Promise<void> {
  const organization = await organizationRows(ctx).findOne({ _id: orgId });
  if (organization?.hash_names === true)
    for (const wing of wingsOf(ctx)) await wing.organization?.hashNames?.(ctx, orgId);
  await commitPlan(ctx, async (transaction) => {
    const due = await readDue(ctx, hashNamesJob, orgId, transaction);
    return due ? { writes: [clearDue(hashNamesJob, orgId)], result: null } : { result: null };
  });
}
