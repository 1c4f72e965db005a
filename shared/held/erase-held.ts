import type { Context } from '../platform/context/context.ts';
import { WRITTEN_FIELDS } from '../signals/erase-free-text.ts';
import { heldRows } from './model.ts';

/** Erases what a client wrote in its own words into the held signals of a user. The counts stay. Returns how many it changed. */
export async function eraseHeldText(ctx: Context, orgId: string, userId: string): Promise<number> {
  const erased = Object.fromEntries(WRITTEN_FIELDS.map((field) => [`signal.${field}`, '']));
  const named = { org_id: orgId, user_id: userId };
  const { modifiedCount } = await heldRows(ctx).updateMany(named, { $unset: erased });
  return modifiedCount;
}
