import type { Response } from 'express';
import { z } from 'zod';
import { BODY_BYTES } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { AnyRoute } from '../basics/route.ts';
import { readOtlpBody } from '../otlp/body.ts';
import { addressOf } from './address.ts';
import { isProven } from './admit.ts';
import { readBody } from './body.ts';
import type { Exchange, Principal } from './exchange.ts';

const nothing = z.strictObject({});

/** How long a body may take to arrive. */
const PROVEN_BODY_MS = 15_000;
const UNPROVEN_BODY_MS = 3_000;

/** What the handler gets. The body is read last. Throws `invalid_request` that names every field that is wrong. */
export async function parseInput(
  exchange: Exchange,
  principal: Principal,
): Promise<Parameters<AnyRoute['handle']>[0]> {
  const { route, ctx, req, res } = exchange;
  const params = parse(route.params ?? nothing, req.params, 'path');
  const query = parse(route.query ?? nothing, req.query, 'query');
  const bytes = route.takesBytes
    ? await receive(exchange, principal, () => readOtlpBody(req, ctx.config.otlpBodyBytes))
    : null;
  return {
    principal,
    params,
    query,
    body: route.body ? parse(route.body, await receiveBody(exchange, principal), 'body') : undefined,
    request: {
      id: String(res.locals.requestId),
      address: addressOf(req),
      header: (name: string) => req.get(name),
      bytes,
      // Made when it is asked for: most handlers never do.
      get aborted() {
        return abortOnClose(res);
      },
    },
  };
}

/** Receives the body of a route that takes JSON or a form. A caller that is not proven has little time for it. */
function receiveBody(exchange: Exchange, principal: Principal): Promise<unknown> {
  const { route, req, res } = exchange;
  const { bodyTypes: types = ['json'], bodyBytes: maxBytes = BODY_BYTES } = route;
  const deadlineMs = isProven(exchange, principal) ? PROVEN_BODY_MS : UNPROVEN_BODY_MS;
  return receive(exchange, principal, () => readBody(req, res, { types, maxBytes, deadlineMs }));
}

/** Reads a body as one of the few that this caller may be sending: nothing else bounds what half-sent ones take up. */
async function receive<Body>(
  exchange: Exchange,
  principal: Principal,
  read: () => Promise<Body>,
): Promise<Body> {
  const { guards, req } = exchange;
  const proven = isProven(exchange, principal);
  const caller = proven && 'orgId' in principal ? principal.orgId : addressOf(req);
  const done = guards.limits.receive(caller, proven ? 'proven' : 'unproven');
  return read().finally(done);
}

/** Fields are named by JSON pointers into the body, or by parameter. */
function parse(schema: z.ZodType, value: unknown, where: 'path' | 'query' | 'body'): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, 20).flatMap((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    return keys.map((key) => {
      const path = [...issue.path.map(String), ...(key === undefined ? [] : [key])];
      const detail = key === undefined ? issue.message : 'is not known here';
      return where === 'body' ? { pointer: pointerOf(path), detail } : { parameter: path.join('.'), detail };
    });
  });
  const tooMany = parsed.error.issues.find((issue) => issue.code === 'too_big' && issue.origin === 'array');
  if (where === 'body' && tooMany) throw new DomainError('payload_too_large', tooMany.message, { errors });
  throw new DomainError('invalid_request', `The ${where} is not valid.`, { errors });
}

/** RFC 6901. */
function pointerOf(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function abortOnClose(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
