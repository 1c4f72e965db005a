import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { memberRows } from './model.ts';

/** The teams of each member as they are now, by user id. A removed member is in none. */
export async function teamsByUser(
  ctx: Context,
  orgId: string,
  transaction?: ClientSession,
): Promise<Map<string, string[]>> {
  const members = await memberRows(ctx)
    .find(
      { org_id: orgId },
      { projection: { user_id: 1, teams: 1 }, ...(transaction ? { session: transaction } : {}) },
    )
    .toArray();
  return new Map(members.map(({ user_id, teams }) => [user_id, teams]));
}

export async function usersOfTeam(ctx: Context, orgId: string, team: string): Promise<string[]> {
  const teams = await teamsByUser(ctx, orgId);
  return [...teams].filter(([, names]) => names.includes(team)).map(([user]) => user);
}
