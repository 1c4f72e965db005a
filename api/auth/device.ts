import type { IncomingMessage } from 'node:http';
import type { Context } from '../../shared/context.ts';
import { accountOfToken, credentialHash, credentialId } from '../../shared/keys/credential.ts';
import type { DevicePrincipal } from '../route.ts';
import { bearerToken, unauthorized } from './bearer.ts';

/**
 * Whom a well-formed device token names. Whether it is the one that was issued, the spend's script decides: it compares
 * the HMAC beside the balance. No store is asked here. Throws `unauthorized`.
 */
export function devicePrincipal(req: IncomingMessage, ctx: Context): DevicePrincipal {
  const token = bearerToken(req);
  const tokenId = token === null ? null : credentialId('ugd', token);
  if (token === null || tokenId === null) throw unauthorized();
  return {
    kind: 'device',
    accountId: accountOfToken(tokenId),
    tokenId,
    tokenHmac: credentialHash(token, ctx.config.apiKeyPepper),
  };
}
