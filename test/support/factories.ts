import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import type { Sender } from '../../shared/core/calls/signals/check-signal.ts';
import { SCOPES, type Scope, type Tier, UNBOUND_SCOPES } from '../../shared/platform/basics/contract.ts';
import type { Context } from '../../shared/platform/context/context.ts';

/** Every scope that a key which is bound to a user may hold. */
export const BOUND_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !UNBOUND_SCOPES.includes(scope));

/** An organization with a key that holds every scope. */
export async function makeTenant(
  ctx: Context,
  options: {
    plan?: Tier;
    timezone?: string;
    session_timeout?: number;
    scopes?: Scope[];
    user_id?: string;
  } = {},
): Promise<{ orgId: string; key: string; keyId: string }> {
  const { plan = 'team', user_id, ...rest } = options;
  const { scopes = [...(user_id === undefined ? SCOPES : BOUND_SCOPES)] } = options;
  const organization = await createOrganization(ctx, { name: 'Test', plan, ...rest });
  const { key, key_id } = await createApiKey(ctx, { org_id: organization._id, scopes, user_id });
  return { orgId: organization._id, key, keyId: key_id };
}

/** The sender of an organization's key that is bound to no user. */
export function senderOf(orgId: string): Sender {
  return { orgId, boundUserId: null, defaultProjectId: null };
}

let made = 0;

/** A valid signal as posted; everything can be overridden. */
export function makeSignal(
  overrides: Record<string, unknown> & { ts: string | number },
): Record<string, unknown> {
  made += 1;
  const ts = typeof overrides.ts === 'number' ? new Date(overrides.ts).toISOString() : overrides.ts;
  return {
    id: `sig-${made}`,
    user_id: 'ada',
    adapter: 'claude-code',
    model: 'gpt-4o-mini',
    provider: 'openai',
    tokens_in: 100,
    tokens_out: 10,
    ...overrides,
    ts,
  };
}
