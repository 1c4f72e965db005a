import type { IncomingMessage } from 'node:http';
import { authenticateApiKey, keyIdOf, lastReadKey } from '../../shared/core/accounts/keys/api-keys.ts';
import type { ApiKey } from '../../shared/core/accounts/keys/model.ts';
import { authenticateFromMemory } from '../../shared/core/accounts/keys/remembered-keys.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { ApiKeyPrincipal, Auth } from '../basics/route.ts';
import { bearerToken, unauthorized } from './bearer.ts';

/**
 * The key of a request. `fromMemory`: also while MongoDB does not answer. `isConfirmedLater`: a key that this process has seen is
 * taken as it was, and its look-up goes on. Throws `unauthorized`.
 */
export async function apiKeyPrincipal(
  req: IncomingMessage,
  { fromMemory, isConfirmedLater, keyHeader }: Omit<Extract<Auth, { kind: 'api-key' }>, 'kind'>,
  ctx: Context,
  beforeLookup: () => Promise<void>,
): Promise<ApiKeyPrincipal> {
  const named = keyHeader && req.headers[keyHeader];
  // Those who count wrong credentials look at `Authorization`.
  if (named) req.headers.authorization = `Bearer ${[named].flat().join()}`;
  const token = bearerToken(req);
  if (token === null || keyIdOf(ctx, token) === null) throw unauthorized();
  await beforeLookup();
  const seen = isConfirmedLater && lastReadKey(ctx, token);
  const looking = (fromMemory ? authenticateFromMemory : authenticateApiKey)(ctx, token).then(principalOf);
  if (!seen) return looking;
  // Nobody waits for it where the request is refused before.
  looking.catch(() => undefined);
  return { ...principalOf(seen), confirmed: looking };
}

function principalOf(key: ApiKey | null): ApiKeyPrincipal {
  if (!key) throw unauthorized();
  return {
    kind: 'api-key',
    keyId: key._id,
    orgId: key.org_id,
    scopes: key.scopes,
    userId: key.user_id,
    projectId: key.project_id,
  };
}
