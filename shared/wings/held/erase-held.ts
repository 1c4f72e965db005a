import type { WrittenField } from '../../core/calls/signals/erase-free-text.ts';
import type { Person } from '../../core/hooks/wing.ts';
import type { Context } from '../../platform/context/context.ts';
import { heldRows } from './model.ts';

const WRITTEN = {
  'signal.metadata': '',
  'signal.error.message': '',
  'signal.intervention.reason': '',
  'signal.client_session': '',
} as const satisfies Record<`signal.${WrittenField}`, ''>;

/** Erases what a client wrote in its own words into the held signals of a user. The counts stay. Returns how many it changed. */
export async function eraseHeldText(ctx: Context, { orgId, userId }: Person): Promise<number> {
  const named = { org_id: orgId, user_id: userId };
  const { modifiedCount } = await heldRows(ctx).updateMany(named, { $unset: WRITTEN });
  return modifiedCount;
}
