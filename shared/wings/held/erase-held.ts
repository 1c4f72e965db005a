import type { Person } from '../../core/hooks/wing.ts';
import type { Context } from '../../platform/context/context.ts';
import { withoutErased } from '../../platform/mongo/fields.ts';
import { heldRows } from './model.ts';

const ERASE = withoutErased(heldRows.fields);

/** Erases what a client wrote in its own words into the held signals of a user. The counts stay. Returns how many it changed. */
export async function eraseHeldText(ctx: Context, { orgId, userId }: Person): Promise<number> {
  const named = { org_id: orgId, user_id: userId };
  const { modifiedCount } = await heldRows(ctx).updateMany(named, ERASE);
  return modifiedCount;
}
