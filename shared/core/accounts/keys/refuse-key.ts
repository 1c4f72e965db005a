import type { ClientSession } from 'mongoose';
import { KEYS_PER_ORGANIZATION, KEYS_PER_USER, UNBOUND_SCOPES } from '../../../platform/basics/contract.ts';
import { DomainError, invalid } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type ApiKey, apiKeyRows, isLive } from './model.ts';

/**
 * Refuses a key for all users that sets thresholds and asks whether calls fit, but may not read usage: by thresholds of its
 * choice and a yes or no it would read everybody's. Throws `invalid_request`.
 */
export function refuseGuessing({ scopes, user_id }: Pick<ApiKey, 'scopes' | 'user_id'>): void {
  if (user_id !== null || scopes.includes('usage:read')) return;
  if (!scopes.includes('budgets:write') || !scopes.includes('budgets:check')) return;
  const detail =
    'budgets:write and budgets:check together need usage:read, unless the key is bound to a user';
  throw refused(detail);
}

/** Refuses a scope that concerns everybody to a key that is bound to one user. Throws `invalid_request`. */
export function refuseUnboundScopes({ scopes, user_id }: Pick<ApiKey, 'scopes' | 'user_id'>): void {
  const unbound = user_id === null ? [] : scopes.filter((scope) => UNBOUND_SCOPES.includes(scope));
  if (unbound.length > 0) throw refused(`${unbound.join(' and ')}: not for a key that is bound to a user`);
}

function refused(detail: string): DomainError {
  return invalid(`These scopes are refused: ${detail}.`, '/scopes', detail);
}

/**
 * Throws `too_many_keys` when the organization, or the user to whom a key would be bound, has as many live keys as it may
 * have. `replaced` is the key that is being rotated, which does not count. Keys that are made at one time count each
 * other only if both transactions write the roster (`rosterWrite`).
 */
export async function refuseTooManyKeys(
  ctx: Context,
  { org_id, user_id }: Pick<ApiKey, 'org_id' | 'user_id'>,
  replaced: string | undefined,
  transaction: ClientSession,
): Promise<void> {
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
