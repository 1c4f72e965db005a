import type { IncomingMessage } from 'node:http';
import { accountOfToken, credentialHash, credentialId } from '../../shared/keys/credential.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { DevicePrincipal } from '../route.ts';
import { bearerToken, unauthorized } from './bearer.ts';

/** What tokens say never changes, and an HMAC costs a tenth of a spend. Only this process' memory holds them. */
const MOST_KNOWN = 20_000;
const knownPrincipals = new WeakMap<Context['config'], Map<string, DevicePrincipal>>();

/**
 * Whom a well-formed device token names. Whether it is the one that was issued, the spend's script decides: it compares
 * the HMAC beside the balance. No store is asked here. Throws `unauthorized`.
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
  if (principals.size >= MOST_KNOWN) principals.clear();
  principals.set(token, principal);
  return principal;
}

function principalsOf({ config }: Context): Map<string, DevicePrincipal> {
  const principals = knownPrincipals.get(config) ?? new Map<string, DevicePrincipal>();
  knownPrincipals.set(config, principals);
  return principals;
}
