import type { ClientSession } from 'mongoose';
import { touchRoster } from '../organizations/roster.ts';
import { KEYS_PER_ORGANIZATION, KEYS_PER_USER } from '../platform/basics/contract.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { apiKeyRows, isLive } from './model.ts';

/**
 * Throws `too_many_keys` when the organization, or the user to whom a key would be bound, has as many live keys as it may
 * have. `replaced` is the key that is being rotated, which does not count. Writes the organization's row, so that of two
 * keys that are made at one time one is counted by the other.
 */
export async function refuseTooManyKeys(
  ctx: Context,
  { org_id, user_id, replaced }: { org_id: string; user_id: string | null; replaced: string | undefined },
  transaction: ClientSession,
): Promise<void> {
  await touchRoster(ctx, org_id, {}, transaction);
  const rows = await apiKeyRows(ctx).find({ org_id, revoked_at: null }, { session: transaction }).toArray();
  const nowMs = ctx.clock.now();
  const live = rows.filter((key) => key._id !== replaced && isLive(key, nowMs));
  const isOwn = (key: { user_id: string | null }) => user_id !== null && key.user_id === user_id;
  if (live.length >= KEYS_PER_ORGANIZATION)
    throw tooMany(`An organization has at most ${KEYS_PER_ORGANIZATION}`);
  if (live.filter(isOwn).length >= KEYS_PER_USER) throw tooMany(`A user has at most ${KEYS_PER_USER}`);
}

function tooMany(most: string): DomainError {
  return new DomainError('too_many_keys', `${most} live API keys. Revoke one that is not used any more.`);
}
