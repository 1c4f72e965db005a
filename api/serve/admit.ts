import type { Response } from 'express';
import { isCode } from '../../shared/platform/basics/errors.ts';
import { authenticate, requireScope } from '../auth/authenticate.ts';
import type { Exchange, Principal } from './exchange.ts';

/** Who calls, once that caller may come in: not while the process is late, not too often, and with the scope. */
export async function admit(exchange: Exchange): Promise<Principal> {
  const { route, guards } = exchange;
  if (route.isProbe) return { kind: 'none' };
  guards.shedder.refuseWhenLate(route.priority);
  const principal = await identify(exchange);
  requireScope(principal, route.auth);
  return principal;
}

/** Takes a place among the requests in flight until the answer is out. Throws `overloaded`. */
export function takePlace({ route, guards, res }: Exchange, principal: Principal): void {
  if (route.isProbe) return;
  const orgId = 'orgId' in principal ? principal.orgId : undefined;
  leaveOnClose(res, guards.shedder.enter(route.priority, orgId));
}

/** Also when the caller has gone already: then nothing would give the place back. */
function leaveOnClose(res: Response, leave: () => void): void {
  if (res.closed) leave();
  else res.once('close', leave);
}

async function identify({ route, ctx, guards, req, res }: Exchange): Promise<Principal> {
  const { limits } = guards;
  const principal = await (guards.authenticate ?? authenticate)(req, route.auth, ctx).catch(
    async (error: unknown) => {
      if (isCode(error, 'unauthorized')) await limits.countBadCredential(req);
      throw error;
    },
  );
  if ('orgId' in principal) res.locals.orgId = principal.orgId;
  if (principal.kind === 'api-key') res.locals.keyId = principal.keyId;
  if (principal.kind === 'device') res.locals.keyId = principal.tokenId;
  const name = nameOf(principal);
  if (name !== null) await limits.count(res, { key: name });
  else if (principal.kind === 'none') await limits.count(res, { address: req.ip ?? 'unknown' });
  return principal;
}

/** By what a caller's requests are counted. The operator's are not. */
function nameOf(principal: Principal): string | null {
  if (principal.kind === 'api-key') return principal.keyId;
  if (principal.kind === 'device') return principal.tokenId;
  return principal.kind === 'idp' ? principal.accountId : null;
}
