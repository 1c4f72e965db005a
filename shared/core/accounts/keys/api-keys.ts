import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import type { Role, Scope } from '../../../platform/basics/contract.ts';
import { DomainError, invalid } from '../../../platform/basics/errors.ts';
import {
  commitPlan,
  type Decision,
  joinPlans,
  NO_PLAN,
  type Plan,
} from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import { insertRow, updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { auditWrite } from '../audit/record-audit.ts';
import { beginCreation } from '../idempotency/creation.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { rosterWrite } from '../organizations/roster.ts';
import { confirmActor } from './confirm-actor.ts';
import { credentialHash, credentialId, mintCredential, sameHash } from './credential.ts';
import { type ApiKey, apiKeyRows, isLive } from './model.ts';
import { planReleaseOfKey } from './plan-release.ts';
import { refuseGuessing, refuseTooManyKeys, refuseUnboundScopes } from './refuse-key.ts';

export interface NewApiKey {
  org_id: string;
  scopes: Scope[];
  name?: string | undefined;
  user_id?: string | null | undefined;
  project_id?: string | null | undefined;
  expires_at?: Date | null | undefined;
  role?: Role;
}

/**
 * Creates a key and answers it for the only time. Throws `not_found` for an unknown organization, `invalid_request` for a key
 * that would be expired or whose scopes are refused (`refuse-key.ts`), `unauthorized` when its maker was removed meanwhile,
 * `missing_scope` for a former admin, and `too_many_keys`.
 */
export async function createApiKey(ctx: Context, input: NewApiKey): Promise<{ key: string; key_id: string }> {
  if (input.expires_at && input.expires_at.getTime() <= ctx.clock.now()) {
    throw invalid('expires_at must lie in the future.', '/expires_at', 'must lie in the future');
  }
  return commitPlan(ctx, (transaction) => planKey(ctx, input, transaction));
}

async function planKey(
  ctx: Context,
  { role = 'member', replaced, ...input }: NewApiKey & { replaced?: string },
  transaction: ClientSession,
): Promise<Decision<{ key: string; key_id: string }>> {
  const { org_id, scopes, name = 'api key', user_id = null, project_id = null, expires_at = null } = input;
  refuseGuessing({ scopes, user_id });
  refuseUnboundScopes({ scopes, user_id });
  await beginCreation(ctx, 'key', transaction);
  const organization = await readOrganization(ctx, org_id, transaction);
  const { maker, writes } = await confirmActor(ctx, { orgId: org_id, role }, transaction);
  await refuseTooManyKeys(ctx, { org_id, user_id }, replaced, transaction);
  const { id, token } = mintCredential('ugk');
  const row: ApiKey = {
    _id: id,
    org_id,
    hmac: credentialHash(token, ctx.config.apiKeyPepper),
    name,
    scopes,
    user_id,
    project_id,
    made_by: maker,
    created_at: new Date(ctx.clock.now()),
    expires_at,
    revoked_at: null,
    last_used_at: null,
  };
  const audit = auditWrite(ctx, { action: 'key.create', org_id, details: { key_id: id, scopes } });
  const made = {
    writes: [...writes, rosterWrite(organization), insertRow(apiKeyRows, row), audit],
    wakeUps: [],
  };
  return { ...joinPlans(made, planReleaseOfKey(row)), result: { key: token, key_id: id } };
}

/**
 * Creates a second key like the first, which goes on for `graceMs`. Throws `not_found`, `conflict` when the first is revoked
 * or expired, `invalid_request` and `unauthorized` as `createApiKey`.
 */
export async function rotateApiKey(
  ctx: Context,
  keyId: string,
  graceMs: number,
  role: Role = 'member',
): Promise<{ key: string; key_id: string }> {
  return commitPlan(ctx, async (transaction) => {
    const old = await readKey(ctx, keyId, transaction);
    if (!isLive(old, ctx.clock.now())) throw new DomainError('conflict', 'This key is revoked or expired.');
    const { org_id, scopes, name, user_id, project_id, expires_at } = old;
    const like = { org_id, scopes, name, user_id, project_id, expires_at };
    const fresh = await planKey(ctx, { ...like, role, replaced: keyId }, transaction);
    const graceEndsMs = ctx.clock.now() + graceMs;
    const retiresMs = Math.min(graceEndsMs, old.retires_at?.getTime() ?? graceEndsMs);
    const change = { retires_at: new Date(retiresMs) };
    const details = { key_id: keyId, next: fresh.result.key_id };
    const writes = [
      updateRow(apiKeyRows, { _id: keyId }, { $set: change }),
      auditWrite(ctx, { action: 'key.rotate', org_id, details }),
    ];
    const plan = joinPlans(fresh, { writes }, planReleaseOfKey({ ...old, ...change }));
    return { ...plan, result: fresh.result };
  });
}

/** Ends a key from the next request on. Repeating it changes nothing. Throws `not_found`. */
export async function revokeApiKey(ctx: Context, keyId: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const key = await readKey(ctx, keyId, transaction);
    const plan = key.revoked_at ? NO_PLAN : planKeyRevocation(ctx, key);
    return { ...plan, result: undefined };
  });
}

/** The plan that ends a key and releases what it has reserved, with its line in the audit log. */
export function planKeyRevocation(ctx: Context, key: ApiKey): Plan {
  const { _id, org_id } = key;
  const nowMs = ctx.clock.now();
  const audit = auditWrite(ctx, { action: 'key.revoke', org_id, details: { key_id: _id } });
  const release = planReleaseOfKey({ ...key, revoked_at: dateAt(nowMs) });
  return joinPlans({ writes: [revocationOf(key, nowMs), audit] }, release);
}

/** The write that ends a key, for a change that has its own line in the audit log and its own release. */
export function revocationOf({ _id }: ApiKey, nowMs: number): Write {
  return updateRow(apiKeyRows, { _id }, { $set: { revoked_at: dateAt(nowMs) } });
}

async function readKey(ctx: Context, keyId: string, transaction: ClientSession): Promise<ApiKey> {
  const key = await apiKeyRows(ctx).findOne({ _id: keyId }, { session: transaction });
  if (!key) throw new DomainError('not_found', 'There is no such API key.');
  return key;
}

/** An organization's keys, also dead ones, oldest first. */
export async function listApiKeys(ctx: Context, orgId: string): Promise<ApiKey[]> {
  return apiKeyRows(ctx).find({ org_id: orgId }).sort({ created_at: 1 }).toArray();
}

/** Look-ups of all organizations share a query, so this is how long a dark connection may delay them. */
const LOOK_UP_MS = 5_000;

/**
 * The key behind a token, or null when it is unknown, expired or revoked. Every call asks the store, so that a revoked
 * key is dead at once; look-ups that wait together share one query.
 */
export async function authenticateApiKey(ctx: Context, token: string): Promise<ApiKey | null> {
  const id = keyIdOf(ctx, token);
  if (id === null) return null;
  const key = await ctx.batcher.submit('api-keys', id, {
    maxWeight: 500,
    weigh: () => 1,
    deadlineMs: LOOK_UP_MS,
    run: (ids) => findKeys(ctx, ids),
  });
  return provenKey(ctx, token, key);
}

/** Tokens of live keys with their HMAC (a twentieth of a request's cost) and the key as last read. Only in this process's memory. */
const provenTokens = boundedCache<string, { hmac: string; key: ApiKey }>({ max: 20_000 });

/** The id inside a well-formed token of a key, else null. */
export function keyIdOf(ctx: Context, token: string): string | null {
  return lastReadKey(ctx, token)?._id ?? credentialId('ugk', token);
}

/** The key behind a token as this process has read it last, if it was live then. It may have ended since. */
export function lastReadKey(ctx: Context, token: string): ApiKey | undefined {
  return provenTokens(ctx).get(token)?.key;
}

/** The row of a key if the token is that key's and the key is live, else null; notes its use. */
export function provenKey(ctx: Context, token: string, key: ApiKey | undefined): ApiKey | null {
  const proven = provenTokens(ctx);
  const hmac = proven.get(token)?.hmac ?? credentialHash(token, ctx.config.apiKeyPepper);
  if (!key || !sameHash(hmac, key.hmac) || !isLive(key, ctx.clock.now())) {
    proven.delete(token);
    return null;
  }
  proven.set(token, { hmac, key });
  rememberUse(ctx, key);
  return key;
}

async function findKeys(ctx: Context, ids: readonly string[]): Promise<(ApiKey | undefined)[]> {
  const rows = await apiKeyRows(ctx)
    .find({ _id: { $in: [...new Set(ids)] } })
    .toArray();
  const byId = new Map(rows.map((row) => [row._id, row]));
  return ids.map((id) => byId.get(id));
}

const USE_RESOLUTION_MS = 60_000;
/** Keys whose last use this process has written lately. */
const writtenLately = boundedCache<string, true>({ max: 10_000, ttlMs: USE_RESOLUTION_MS });

/** At most once a minute and never in the way of the request. */
function rememberUse(ctx: Context, key: ApiKey): void {
  const nowMs = ctx.clock.now();
  const lastMs = key.last_used_at?.getTime() ?? 0;
  if (Math.abs(nowMs - lastMs) < USE_RESOLUTION_MS || writtenLately(ctx).get(key._id)) return;
  writtenLately(ctx).set(key._id, true);
  // The later of two uses stays, whichever is written first. A last use in the future was written by a clock that is wrong.
  const operator = lastMs > nowMs ? '$set' : '$max';
  apiKeyRows(ctx)
    .updateOne({ _id: key._id }, { [operator]: { last_used_at: new Date(nowMs) } })
    .catch((error: unknown) => ctx.log.debug({ err: error }, 'the last use of an API key was not written'));
}
