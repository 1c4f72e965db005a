import { setImmediate } from 'node:timers/promises';
import { BODY_BYTES } from '../../shared/platform/basics/contract.ts';
import { DomainError, isCode } from '../../shared/platform/basics/errors.ts';
import { authenticate, requireScope } from '../auth/authenticate.ts';
import type { Priority } from '../basics/route.ts';
import { addressOf } from './address.ts';
import type { Exchange, Principal } from './exchange.ts';
import type { Owner } from './shed.ts';

/** Returns the caller, once it may come in: not while the process is late, not too often, and with the scope. */
export async function admit(exchange: Exchange): Promise<Principal> {
  const { route, guards, req } = exchange;
  if (route.isProbe) return { kind: 'none' };
  guards.shedder.refuseWhenLate(priorityOf(exchange));
  const principal = await identify(exchange);
  await guards.limits.countForRoute(route, req);
  requireScope(principal, route.auth);
  return principal;
}

/** Bodies that are more than a question: they are not shed last. */
const LARGE_BYTES = 256 * 1_024;

/** A large body waits behind those who ask for a decision about money, whatever its route. */
function priorityOf(exchange: Exchange): Priority {
  const { priority = 'read' } = exchange.route;
  return priority === 'consume' && mostBytesOf(exchange) > LARGE_BYTES ? 'ingest' : priority;
}

/** Bytes that a body may take: as many as it announces, or as it may hold after inflating. */
export function mostBytesOf({ route, req: { headers } }: Exchange): number {
  const maxBytes = route.bodyBytes ?? BODY_BYTES;
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
  return Math.min(Number(length ?? maxBytes), maxBytes);
}

/**
 * True when the caller is known for certain. A device token is proven by a spend; until then its caller is as good as unknown.
 */
export function isProven({ guards, req }: Exchange, principal: Principal): boolean {
  if (principal.kind === 'none') return false;
  return principal.kind !== 'device' || guards.limits.badCredentials.isKnown(req);
}

/** Turns within which the end of a connection that waits behind its last request is read. */
const CLOSING_TURNS = 6;

/**
 * Takes a place among the requests in flight. Throws `overloaded`, also for a caller that gave up while this process stood
 * still. At other times a caller that hangs up is noticed as it happens.
 */
export async function takePlace(exchange: Exchange, principal: Principal): Promise<void> {
  const { route, guards, res, atEnd } = exchange;
  if (route.isProbe) return;
  for (let turn = 0; turn < CLOSING_TURNS && guards.shedder.hasStalled(); turn += 1) await setImmediate();
  if (res.closed)
    throw new DomainError('overloaded', 'The service stood still for longer than the caller waited.');
  atEnd.push(guards.shedder.enter(priorityOf(exchange), ownerOf(exchange, principal)));
}

function ownerOf(exchange: Exchange, principal: Principal): Owner | undefined {
  if ('orgId' in principal) return { kind: 'organization', name: principal.orgId };
  const { guards, req } = exchange;
  if (isProven(exchange, principal) || !guards.limits.isOn) return undefined;
  return { kind: 'address', name: addressOf(req) };
}

async function identify(exchange: Exchange): Promise<Principal> {
  const { route, ctx, guards, req, res } = exchange;
  const { badCredentials } = guards.limits;
  let principal: Principal;
  try {
    principal = await (guards.authenticate ?? authenticate)(req, route.auth, ctx, () =>
      badCredentials.beforeLookup(req),
    );
  } catch (error) {
    // A browser's session cannot be guessed, and the pages of one that has ended go on asking.
    if (isCode(error, 'unauthorized') && !guards.authenticate) await badCredentials.count(req);
    throw error;
  }
  // A browser's session says nothing about a credential that is sent beside it.
  if (!guards.authenticate && (principal.kind === 'api-key' || principal.kind === 'idp'))
    badCredentials.remember(req);
  if ('orgId' in principal) res.locals.orgId = principal.orgId;
  if (principal.kind === 'api-key') res.locals.keyId = principal.keyId;
  if (principal.kind === 'device') res.locals.keyId = principal.tokenId;
  const name = nameOf(principal);
  const requests = Math.max(1, Math.ceil(mostBytesOf(exchange) / BODY_BYTES));
  if (name !== null) await guards.limits.count(res, { key: name }, requests);
  else if (principal.kind === 'none') await guards.limits.count(res, { address: addressOf(req) }, requests);
  return principal;
}

/** The name under which a caller's requests are counted. The operator's are not. */
function nameOf(principal: Principal): string | null {
  if (principal.kind === 'api-key') return principal.keyId;
  if (principal.kind === 'device') return principal.tokenId;
  return principal.kind === 'idp' ? principal.accountId : null;
}
