import { dateAt } from '../../../platform/basics/clock.ts';
import type { Role, Scope } from '../../../platform/basics/contract.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Listed, ListPage } from '../../../platform/basics/paginate.ts';
import type { Context } from '../../../platform/context/context.ts';
import { listRows } from '../../../platform/mongo/list-rows.ts';
import { narrowToReader } from '../organizations/reader.ts';
import { createApiKey, revokeApiKey, rotateApiKey } from './api-keys.ts';
import { type ApiKey, apiKeyRows } from './model.ts';
import type { KeyInput } from './view.ts';

/** A person who manages keys: an admin all of the organization, a member only those bound to that member. */
export interface KeyManager {
  orgId: string;
  userId: string;
  role: Role;
}

/** The scopes that a member may give to a key. */
const OWN_SCOPES: readonly Scope[] = ['signals:write', 'usage:read', 'budgets:check'];

/**
 * One page of the keys that somebody may see, by (`created_at`, id); ended ones too, for 30 days. `userId` asks for the keys
 * that are bound to that user. Counts only when `total` is not known.
 */
export async function listKeys(
  ctx: Context,
  manager: KeyManager,
  { userId }: { userId?: string | undefined },
  page: ListPage,
): Promise<Listed<ApiKey>> {
  const reader = { orgId: manager.orgId, userId: manager.role === 'admin' ? null : manager.userId };
  const { user_id } = narrowToReader(reader, { user_id: userId });
  const matching = { org_id: manager.orgId, ...(user_id === undefined ? {} : { user_id }) };
  return listRows(ctx, apiKeyRows, matching, 'created_at', page);
}

function isManagedBy(key: ApiKey, { orgId, userId, role }: KeyManager): boolean {
  return key.org_id === orgId && (role === 'admin' || key.user_id === userId);
}

/** Makes a key and returns it for the only time. Throws `missing_scope` for what a member may not give, and as `createApiKey`. */
export async function createKey(
  ctx: Context,
  manager: KeyManager,
  input: KeyInput,
): Promise<{ key: string; row: ApiKey }> {
  const { scopes, name, project_id, expires_at } = input;
  const isAdmin = manager.role === 'admin';
  refuseMoreThanOwn(manager, { scopes, user_id: input.user_id ?? manager.userId });
  const made = await createApiKey(ctx, {
    org_id: manager.orgId,
    scopes,
    name,
    project_id,
    user_id: isAdmin ? input.user_id : manager.userId,
    expires_at: expires_at === undefined ? undefined : dateAt(expires_at * 1_000),
    role: manager.role,
  });
  return { key: made.key, row: await getKey(ctx, manager, made.key_id) };
}

/** Throws `missing_scope` where a member would get a key that only an admin may give. */
function refuseMoreThanOwn(
  { role, userId }: KeyManager,
  { scopes, user_id }: Pick<ApiKey, 'scopes' | 'user_id'>,
): void {
  if (role === 'admin') return;
  if (user_id === userId && scopes.every((scope) => OWN_SCOPES.includes(scope))) return;
  throw new DomainError(
    'missing_scope',
    `Members make only keys that are bound to themselves, with at most ${OWN_SCOPES.join(', ')}.`,
  );
}

/**
 * A second key like the first, which goes on for `graceS` seconds. Throws `not_found`, `conflict` for a dead key,
 * `missing_scope` for what a member may not give, and `unauthorized` when the manager was removed meanwhile.
 */
export async function rotateKey(
  ctx: Context,
  manager: KeyManager,
  keyId: string,
  graceS: number,
): Promise<{ key: string; row: ApiKey }> {
  refuseMoreThanOwn(manager, await getKey(ctx, manager, keyId));
  const made = await rotateApiKey(ctx, keyId, graceS * 1_000, manager.role);
  return { key: made.key, row: await getKey(ctx, manager, made.key_id) };
}

/** Ends a key from the next request on. Repeating it changes nothing. Throws `not_found`. */
export async function revokeKey(ctx: Context, manager: KeyManager, keyId: string): Promise<void> {
  await getKey(ctx, manager, keyId);
  await revokeApiKey(ctx, keyId);
}

/** A key that somebody may see. Another's key looks like one that never was: throws `not_found`. */
export async function getKey(ctx: Context, manager: KeyManager, keyId: string): Promise<ApiKey> {
  const key = await apiKeyRows(ctx).findOne({ _id: keyId });
  if (!key || !isManagedBy(key, manager)) throw new DomainError('not_found', 'There is no such key.');
  return key;
}
