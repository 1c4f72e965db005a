import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { actingAs } from '../shared/audit/acting-as.ts';
import type { Context } from '../shared/context.ts';
import { noteDeviceAddress } from '../shared/devices/addresses.ts';
import { DomainError } from '../shared/errors.ts';
import { authenticate as authenticateCredential, requireScope } from './auth/authenticate.ts';
import { readBody } from './body.ts';
import type { Limits } from './limits.ts';
import { type AnyRoute, type Auth, isReply, type PrincipalOf, type Reply } from './route.ts';
import type { Shedder } from './shed.ts';

const nothing = z.strictObject({});

/** Longer than a large export takes a slow reader; who takes nothing at all is cut sooner (`server.ts`). */
export const LONGEST_ANSWER_MS = 10 * 60_000;

export interface Guards {
  limits: Limits;
  shedder: Shedder;
  /** A streamed answer that lasts longer is cut. */
  longestAnswerMs: number;
  /** Instead of the credential that the route names: the dashboard's cookie session. */
  authenticate?: (req: Request, auth: Auth, ctx: Context) => Promise<PrincipalOf<Auth>>;
}

/** Turns one row of the table into a handler: authenticate, parse, handle, parse the answer, send. */
export function serve(route: AnyRoute, ctx: Context, guards: Guards): RequestHandler {
  return async (req, res) => {
    res.locals.route = route.path;
    res.locals.errorStyle = route.errorStyle;
    const principal = await admit(route, req, res, ctx, guards);
    const input = {
      principal,
      params: parse(route.params ?? nothing, req.params, 'path'),
      query: parse(route.query ?? nothing, req.query, 'query'),
      body: route.body ? parse(route.body, await readBody(req, res, route.bodyTypes), 'body') : undefined,
      request: {
        id: String(res.locals.requestId),
        address: req.ip ?? 'unknown',
        header: (name: string) => req.get(name),
        // Made when it is asked for: most handlers never do.
        get aborted() {
          return abortOnClose(res);
        },
      },
    };
    const answer = await handle(route, input, req, ctx, guards.limits);
    await send(route, req, res, answer, guards.longestAnswerMs);
  };
}

/** Who calls, once that one may come in: not too late, not too often, allowed to, and with a place of its own. */
async function admit(
  route: AnyRoute,
  req: Request,
  res: Response,
  ctx: Context,
  { limits, shedder, authenticate = authenticateCredential }: Guards,
): Promise<PrincipalOf<Auth>> {
  if (route.isProbe) return { kind: 'none' };
  shedder.refuseWhenLate(route.priority);
  const principal = await identify(req, res, limits, () => authenticate(req, route.auth, ctx));
  requireScope(principal, route.auth);
  const orgId = 'orgId' in principal ? principal.orgId : undefined;
  leaveOnClose(res, shedder.enter(route.priority, orgId));
  return principal;
}

/** Also when the caller has gone already: then nothing would give the place back. */
function leaveOnClose(res: Response, leave: () => void): void {
  if (res.closed) leave();
  else res.once('close', leave);
}

async function identify(
  req: Request,
  res: Response,
  limits: Limits,
  authenticate: () => Promise<PrincipalOf<Auth>>,
): Promise<PrincipalOf<Auth>> {
  let principal: PrincipalOf<Auth>;
  try {
    principal = await authenticate();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unauthorized') await limits.countBadCredential(req);
    throw error;
  }
  if (principal.kind === 'api-key') {
    res.locals.orgId = principal.orgId;
    res.locals.keyId = principal.keyId;
    await limits.count(res, { key: principal.keyId });
  } else if (principal.kind === 'device') {
    res.locals.keyId = principal.tokenId;
    await limits.count(res, { key: principal.tokenId });
  } else if (principal.kind === 'idp') {
    res.locals.orgId = principal.orgId;
    await limits.count(res, { key: principal.accountId });
  } else if (principal.kind === 'none') {
    await limits.count(res, { address: req.ip ?? 'unknown' });
  }
  return principal;
}

/** A device token is proven where it is spent: a wrong one counts there too. */
async function handle(
  route: AnyRoute,
  input: Parameters<AnyRoute['handle']>[0],
  req: Request,
  ctx: Context,
  limits: Limits,
): Promise<unknown> {
  try {
    const answer = await actingAs(actorOf(input.principal, ctx), () => route.handle(input, ctx));
    if (input.principal.kind === 'device') noteDeviceAddress(ctx, input.principal, input.request.address);
    return answer;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unauthorized') await limits.countBadCredential(req);
    throw error;
  }
}

/** For the audit log: a person by the account, a key or token by its id. */
function actorOf(principal: PrincipalOf<Auth>, ctx: Context): string {
  if ('keyId' in principal) return principal.keyId;
  return 'accountId' in principal ? principal.accountId : ctx.actor;
}

/** Throws `invalid_request` that names every field that is wrong, as JSON pointers into the body or by parameter. */
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

async function send(
  route: AnyRoute,
  req: Request,
  res: Response,
  answer: unknown,
  longestMs: number,
): Promise<void> {
  const { status, body, contentType = 'application/json' } = route.success;
  res.statusCode = status;
  res.setHeader('Cache-Control', 'no-store');
  if (isReply(answer)) {
    await sendReply(req, res, answer, contentType, longestMs);
  } else if (body) {
    res.type(contentType).send(JSON.stringify(body.parse(answer)));
  } else {
    res.end();
  }
}

async function sendReply(
  req: Request,
  res: Response,
  answer: Reply,
  contentType: string,
  longestMs: number,
): Promise<void> {
  const { content, headers = {} } = answer;
  if (typeof content === 'string' || Buffer.isBuffer(content)) {
    res.type(contentType).set(headers);
    // A text goes out with the headers in one write, bytes in a second one.
    res.setHeader('Content-Length', Buffer.byteLength(content));
    res.end(req.method === 'HEAD' ? undefined : content);
    return;
  }
  if (req.method === 'HEAD') {
    res.type(contentType).set(headers).end();
    return;
  }
  const chunks = content[Symbol.asyncIterator]();
  // What fails before there is anything to send is told as a problem, not by cutting the line.
  const first = await chunks.next();
  res.type(contentType).set(headers);
  const cut = setTimeout(() => res.destroy(), longestMs);
  try {
    await pipeline(Readable.from(resume(first, chunks), { objectMode: true, highWaterMark: 1 }), res);
  } catch (error) {
    // A caller that went away, or was cut, is not our failure.
    if (!req.destroyed && !res.destroyed) throw error;
  } finally {
    clearTimeout(cut);
    await chunks.return?.();
  }
}

async function* resume<Chunk>(first: IteratorResult<Chunk>, rest: AsyncIterator<Chunk>) {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
}
