import type { IncomingMessage } from 'node:http';
import { authenticateApiKey, keyIdOf } from '../../shared/keys/api-keys.ts';
import { authenticateFromMemory } from '../../shared/keys/remembered-keys.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { ApiKeyPrincipal } from '../basics/route.ts';
import { bearerToken, unauthorized } from './bearer.ts';

/** The key of a request. `fromMemory`: also while MongoDB does not answer. Throws `unauthorized`. */
export async function apiKeyPrincipal(
  req: IncomingMessage,
  { fromMemory, keyHeader }: { fromMemory?: true; keyHeader?: string },
  ctx: Context,
  beforeLookup: () => Promise<void>,
): Promise<ApiKeyPrincipal> {
  const named = keyHeader && req.headers[keyHeader];
  // Those who count wrong credentials look at `Authorization`.
  if (named) req.headers.authorization = `Bearer ${[named].flat().join()}`;
  const token = bearerToken(req);
  if (token === null || keyIdOf(ctx, token) === null) throw unauthorized();
  await beforeLookup();
  const key = await (fromMemory ? authenticateFromMemory : authenticateApiKey)(ctx, token);
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
