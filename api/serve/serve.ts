import type { Request, Response } from 'express';
import { actingAs } from '../../shared/core/accounts/audit/record-audit.ts';
import { isCode } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { AnyRoute } from '../basics/route.ts';
import { admit, takePlace } from './admit.ts';
import { answerInTime } from './answer-in-time.ts';
import { createOnce } from './create-once.ts';
import type { Exchange, Guards, Principal } from './exchange.ts';
import { parseInput } from './parse.ts';
import { send } from './send.ts';

/** Longer than a large export takes a slow reader. A reader that takes nothing at all is cut sooner (`server.ts`). */
export const LONGEST_ANSWER_MS = 10 * 60_000;

/**
 * Turns one row of the table into a handler: authenticate, parse, take a place, handle, check the answer, send. A place
 * among the requests in flight is taken only when the body is there, so that slow senders hold none. It is given back when
 * the work has ended too: callers that hang up and ask again would otherwise start work without bound.
 */
export function serve(
  route: AnyRoute,
  ctx: Context,
  guards: Guards,
): (req: Request, res: Response) => Promise<void> {
  return async (req, res) => {
    const exchange: Exchange = { route, ctx, guards, req, res, atEnd: [] };
    res.locals.route = route.path;
    res.locals.errorStyle = route.errorStyle;
    let work: Promise<unknown> = Promise.resolve();
    try {
      const principal = await admit(exchange);
      const input = await parseInput(exchange, principal);
      await takePlace(exchange, principal);
      work = handle(exchange, input);
      await send(exchange, await answerInTime(route, work));
    } finally {
      endAfter(work, exchange);
    }
  };
}

function endAfter(work: Promise<unknown>, { res, atEnd }: Exchange): void {
  const end = () => {
    for (const giveBack of atEnd) giveBack();
  };
  const whenClosed = () => void work.then(end, end);
  // Also when the caller has gone already: then nothing more is told.
  if (res.closed) whenClosed();
  else res.once('close', whenClosed);
}

/** Runs the route in the caller's name. A device token is proven where it is spent, so a wrong one counts here too. */
async function handle(exchange: Exchange, input: Parameters<AnyRoute['handle']>[0]): Promise<unknown> {
  const { route, ctx, guards, req } = exchange;
  const { badCredentials } = guards.limits;
  const isDevice = input.principal.kind === 'device';
  try {
    if (isDevice) await badCredentials.beforeLookup(req);
    const answer = await actingAs(actorOf(input.principal, ctx), async () =>
      route.creates ? createOnce(exchange, input, route.creates) : route.handle(input, ctx),
    );
    if (isDevice) badCredentials.remember(req);
    return answer;
  } catch (error) {
    if (isCode(error, 'unauthorized')) await badCredentials.count(req);
    throw error;
  }
}

/** The actor for the audit log: a key by its id, a person or a device by the account. */
function actorOf(principal: Principal, ctx: Context): string {
  if ('keyId' in principal) return principal.keyId;
  return 'accountId' in principal ? principal.accountId : ctx.actor;
}
