import type { Response } from 'express';
import { z } from 'zod';
import { BODY_BYTES } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { faultsOf, IN_PLAIN_WORDS } from '../../shared/platform/basics/faults.ts';
import { type BodyLimits, isEmpty } from '../basics/read-bytes.ts';
import type { AnyRoute } from '../basics/route.ts';
import { readOtlpBody } from '../otlp/body.ts';
import { addressOf } from './address.ts';
import { isProven } from './admit.ts';
import { readBody, readMembers, readPlainBytes } from './body.ts';
import type { Exchange, Principal } from './exchange.ts';

const nothing = z.strictObject({});

/** Wrong fields that an answer names at most. */
const MAX_FAULTS = 20;

/** How long a body may take to arrive. */
const PROVEN_BODY_MS = 15_000;
const UNPROVEN_BODY_MS = 3_000;

/** Parses the input of the handler, the body last. Throws `invalid_request` that names every field that is wrong. */
export async function parseInput(
  exchange: Exchange,
  principal: Principal,
): Promise<Parameters<AnyRoute['handle']>[0]> {
  const { route, req, res } = exchange;
  const params = route.isPrefix ? {} : parse(route.params ?? nothing, req.params, 'path');
  const query = route.isPrefix ? {} : parse(route.query ?? nothing, req.query, 'query');
  const header = (name: string) => req.get(name);
  route.refuseByHeaders?.(header, exchange.ctx);
  return {
    principal,
    params,
    query,
    body: route.body ? parse(route.body, await bodyOf(exchange, principal), 'body') : undefined,
    request: {
      id: String(res.locals.requestId),
      header,
      bytes: route.takesBytes ? await receive(exchange, principal, readUnparsed) : null,
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

/** A body, or none of a route that does without. */
async function bodyOf(exchange: Exchange, principal: Principal): Promise<unknown> {
  const { route, req } = exchange;
  return route.bodyIsOptional && isEmpty(req) ? {} : receive(exchange, principal, readParsed);
}

type Read<Body> = (exchange: Exchange, limits: BodyLimits) => Promise<Body>;
type Bytes = NonNullable<Parameters<AnyRoute['handle']>[0]['request']['bytes']>;

/** Reads the body of a route that takes JSON or a form. */
const readParsed: Read<unknown> = async ({ route, req }, limits) =>
  route.readsOnly ? readMembers(req, limits, route.readsOnly) : readBody(req, limits, route.bodyTypes);

/** Reads the bytes of a route that parses them itself. */
const readUnparsed: Read<Bytes> = async ({ route, ctx, req }, limits) =>
  route.takesBytes === 'otlp'
    ? readOtlpBody(req, { ...limits, maxBytes: ctx.config.otlpBodyBytes })
    : { body: await readPlainBytes(req, limits), encoding: 'json' };

/**
 * Receives a body as one of the few that this caller may be sending, and holds its bytes until the end: nothing else bounds
 * the memory that half-sent bodies, and those that wait to be worked on, take up. A caller that is not proven has little time.
 */
async function receive<Body>(exchange: Exchange, principal: Principal, read: Read<Body>): Promise<Body> {
  const { route, guards, req, atEnd } = exchange;
  const proven = isProven(exchange, principal);
  const caller = proven && 'orgId' in principal ? principal.orgId : addressOf(req);
  const { hold, done, release } = guards.limits.receive(caller, proven ? 'proven' : 'unproven');
  atEnd.push(release);
  const maxBytes = route.bodyBytes ?? BODY_BYTES;
  const deadlineMs = proven ? PROVEN_BODY_MS : UNPROVEN_BODY_MS;
  return read(exchange, { maxBytes, deadlineMs, hold }).finally(done);
}

/** Fields are named by JSON pointers into the body, or by parameter. */
function parse(schema: z.ZodType, value: unknown, where: 'path' | 'query' | 'body'): unknown {
  const parsed = schema.safeParse(value, IN_PLAIN_WORDS);
  if (parsed.success) return parsed.data;
  const errors = faultsOf(parsed.error, MAX_FAULTS).map(({ path, detail }) =>
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
