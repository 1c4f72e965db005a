import type { IncomingMessage } from 'node:http';
import { accountOfToken, credentialHash, credentialId } from '../../shared/core/accounts/keys/credential.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { boundedCache } from '../../shared/platform/context/per-context.ts';
import type { DevicePrincipal } from '../basics/route.ts';
import { bearerToken, unauthorized } from './bearer.ts';

/** Principals by token: they never change, and the HMAC costs a tenth of a spend. Only this process's memory has tokens. */
const principalsOf = boundedCache<string, DevicePrincipal>({ max: 20_000 });

/**
 * The account and the token id that a well-formed device token names. It asks no store: whether the token is the one
 * that was issued is decided by the spend's script, which compares the HMAC beside the balance. Throws `unauthorized`.
 */
export function devicePrincipal(req: IncomingMessage, ctx: Context): DevicePrincipal {
  const token = bearerToken(req);
  if (token === null) throw unauthorized();
  const principals = principalsOf(ctx);
  const known = principals.get(token);
  if (known) return known;
  const tokenId = credentialId('ugd', token);
  if (tokenId === null) throw unauthorized();
  const principal: DevicePrincipal = {
    kind: 'device',
    accountId: accountOfToken(tokenId),
    tokenId,
    tokenHmac: credentialHash(token, ctx.config.apiKeyPepper),
  };
  principals.set(token, principal);
  return principal;
}
