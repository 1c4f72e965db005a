import type { Context } from '../../../platform/context/context.ts';
import { type Member, memberRows } from './model.ts';

/** The present members of an organization, by user id. */
export async function listMembers(ctx: Context, orgId: string): Promise<Member[]> {
  const members = await memberRows(ctx).find({ org_id: orgId }).sort({ user_id: 1 }).toArray();
  return members.filter((member) => member.removed_at === null);
}
