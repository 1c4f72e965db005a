import type { Response } from 'express';
import { z } from 'zod';
import { problemOf } from './problem.ts';
import { type Reply, reply } from './route.ts';

/** The id of a request of JSON-RPC 2.0; null where none could be read. */
export type RequestId = string | number | null;

/** A response of JSON-RPC 2.0: with a `result` or an `error`. */
export const jsonRpcResponse = z.object({
  jsonrpc: z.literal('2.0').meta({ description: 'The version of JSON-RPC', examples: ['2.0'] }),
  id: z
    .union([z.string(), z.number()])
    .nullable()
    .meta({
      // A list of two types, as zod would write it, generates no client in Go.
      documentedAs: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
      description: 'The id of the request; null where none could be read',
    }),
  result: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'The answer', examples: [{ tools: [] }] }),
  error: z
    .object({
      code: z.int(),
      message: z.string(),
      data: z
        .unknown()
        .optional()
        .meta({ description: 'More about the failure', examples: [{ code: 'unauthorized' }] }),
    })
    .optional()
    .meta({ description: 'Why there is no result', examples: [{ code: -32_000, message: 'Try again.' }] }),
});

/** Codes of JSON-RPC 2.0 section 5.1, and the one of ours for what HTTP refuses. */
export const RPC = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  refused: -32_000,
} as const;

export function rpcError(
  status: number,
  id: RequestId,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Reply {
  return reply(errorBody(id, code, message), headers, status);
}

/** A failure of ours as an error of JSON-RPC: the status and the headers are those of the problem document. */
export function rpcFailure(error: unknown, id: RequestId): Reply {
  const { status, headers, body } = failureOf(error, id);
  return reply(body, headers, status);
}

/** Sends a failure that came before the request was read. */
export function sendRpcError(res: Response, error: unknown): void {
  const { status, headers, body } = failureOf(error, null);
  res.status(status).set(headers).set('Cache-Control', 'no-store').type('application/json').send(body);
}

function failureOf(error: unknown, id: RequestId) {
  const { status, code, detail, headers } = problemOf(error);
  return { status, headers, body: errorBody(id, rpcCodeOf(code), detail, { code }) };
}

function rpcCodeOf(code: string): number {
  if (code === 'malformed_json') return RPC.parseError;
  return code === 'invalid_request' ? RPC.invalidRequest : RPC.refused;
}

function errorBody(id: RequestId, code: number, message: string, data?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data ? { data } : {}) } });
}
