import { memberRows } from '../organizations/model.ts';
import type { Context } from '../platform/context/context.ts';

/** The teams of each member who is there now, by user id. */
export async function teamsByUser(ctx: Context, orgId: string): Promise<Map<string, string[]>> {
  const members = await memberRows(ctx)
    .find({ org_id: orgId }, { projection: { user_id: 1, teams: 1, removed_at: 1 } })
    .toArray();
  const present = members.filter(({ removed_at }) => removed_at === null);
  return new Map(present.map(({ user_id, teams }) => [user_id, teams]));
}
