import type { Response } from 'express';
import { z } from 'zod';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { AnyRoute } from '../basics/route.ts';
import { readOtlpBody } from '../otlp/body.ts';
import { readBody } from './body.ts';
import type { Exchange, Principal } from './exchange.ts';

const nothing = z.strictObject({});

/** What the handler gets. The body is read last. Throws `invalid_request` that names every field that is wrong. */
export async function parseInput(
  { route, req, res }: Exchange,
  principal: Principal,
): Promise<Parameters<AnyRoute['handle']>[0]> {
  return {
    principal,
    params: parse(route.params ?? nothing, req.params, 'path'),
    query: parse(route.query ?? nothing, req.query, 'query'),
    body: route.body ? parse(route.body, await readBody(req, res, route.bodyTypes), 'body') : undefined,
    request: {
      id: String(res.locals.requestId),
      address: req.ip ?? 'unknown',
      header: (name: string) => req.get(name),
      bytes: (maxBytes: number) => readOtlpBody(req, maxBytes),
      // Made when it is asked for: most handlers never do.
      get aborted() {
        return abortOnClose(res);
      },
    },
  };
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
