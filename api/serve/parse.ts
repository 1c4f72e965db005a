import type { Response } from 'express';
import { z } from 'zod';
import { BODY_BYTES } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { faultsOf, IN_PLAIN_WORDS } from '../../shared/platform/basics/faults.ts';
import type { AnyRoute } from '../basics/route.ts';
import { readOtlpBody } from '../otlp/body.ts';
import { addressOf } from './address.ts';
import { isProven, mostBytesOf } from './admit.ts';
import { readBody, readMembers, readPlainBytes } from './body.ts';
import type { Exchange, Principal } from './exchange.ts';
import type { Receiving } from './limits.ts';

const nothing = z.strictObject({});

/** How many wrong fields an answer names. */
const FAULTS_TOLD = 20;

/** How long a body may take to arrive. */
const PROVEN_BODY_MS = 15_000;
const UNPROVEN_BODY_MS = 3_000;

/** What the handler gets. The body is read last. Throws `invalid_request` that names every field that is wrong. */
export async function parseInput(
  exchange: Exchange,
  principal: Principal,
): Promise<Parameters<AnyRoute['handle']>[0]> {
  const { route, req, res } = exchange;
  const params = parse(route.params ?? nothing, req.params, 'path');
  const query = parse(route.query ?? nothing, req.query, 'query');
  const header = (name: string) => req.get(name);
  route.refuseByHeaders?.(header, exchange.ctx);
  return {
    principal,
    params,
    query,
    body: route.body ? parse(route.body, await receiveBody(exchange, principal), 'body') : undefined,
    request: {
      id: String(res.locals.requestId),
      header,
      bytes: route.takesBytes ? await receiveBytes(exchange, principal, route.takesBytes) : null,
      // These two are made when they are asked for: most handlers never do.
      get address() {
        return addressOf(req);
      },
      get aborted() {
        return abortOnClose(res);
      },
    },
  };
}

/** Receives the body of a route that takes JSON or a form. */
function receiveBody(exchange: Exchange, principal: Principal): Promise<unknown> {
  const { route, req, res } = exchange;
  const types = route.bodyTypes ?? ['json'];
  const bounds = boundsOf(exchange, principal);
  return receive(exchange, principal, async ({ hold }) => {
    hold(mostBytesOf(exchange));
    if (route.readsOnly) return readMembers(req, res, bounds, route.readsOnly);
    return readBody(req, res, { types, ...bounds });
  });
}

/** Receives the bytes of a route that reads them itself. */
function receiveBytes(
  exchange: Exchange,
  principal: Principal,
  kind: NonNullable<AnyRoute['takesBytes']>,
): Promise<NonNullable<Parameters<AnyRoute['handle']>[0]['request']['bytes']>> {
  const { ctx, req, res } = exchange;
  return receive(exchange, principal, async ({ hold }) =>
    kind === 'otlp'
      ? readOtlpBody(req, ctx.config.otlpBodyBytes, hold)
      : { body: await readPlainBytes(req, res, boundsOf(exchange, principal)), encoding: 'json' },
  );
}

/** How large a body may be and how long it may take. A caller that is not proven has little time for it. */
function boundsOf(exchange: Exchange, principal: Principal): { maxBytes: number; deadlineMs: number } {
  const deadlineMs = isProven(exchange, principal) ? PROVEN_BODY_MS : UNPROVEN_BODY_MS;
  return { maxBytes: exchange.route.bodyBytes ?? BODY_BYTES, deadlineMs };
}

/**
 * Reads a body as one of the few that this caller may be sending, and holds its bytes until the end: nothing else bounds
 * what half-sent ones, and those that wait to be worked on, take up.
 */
async function receive<Body>(
  exchange: Exchange,
  principal: Principal,
  read: (receiving: Receiving) => Promise<Body>,
): Promise<Body> {
  const { guards, req, atEnd } = exchange;
  const proven = isProven(exchange, principal);
  const caller = proven && 'orgId' in principal ? principal.orgId : addressOf(req);
  const receiving = guards.limits.receive(caller, proven ? 'proven' : 'unproven');
  atEnd.push(receiving.release);
  return read(receiving).finally(receiving.done);
}

/** Fields are named by JSON pointers into the body, or by parameter. */
function parse(schema: z.ZodType, value: unknown, where: 'path' | 'query' | 'body'): unknown {
  const parsed = schema.safeParse(value, IN_PLAIN_WORDS);
  if (parsed.success) return parsed.data;
  const errors = faultsOf(parsed.error, FAULTS_TOLD).map(({ path, detail }) =>
    where === 'body' ? { pointer: pointerOf(path), detail } : { parameter: path.join('.'), detail },
  );
  throw new DomainError('invalid_request', `The ${where} is not valid.`, { errors });
}

/** RFC 6901. */
function pointerOf(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function abortOnClose(res: Response): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!res.writableFinished) controller.abort();
  };
  // Also when the caller has gone already: then nothing more is told.
  if (res.closed) abort();
  else res.once('close', abort);
  return controller.signal;
}
