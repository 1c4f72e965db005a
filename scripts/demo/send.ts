import { exchange } from '../../shared/platform/outward/exchange.ts';

/** Longer than the api works on a request. */
export const LIMITS = { deadlineMs: 30_000, mostBytes: 16_777_216 };

/** The api, as a demo organization's key of every scope sees it. */
export interface Target {
  api: string;
  apiKey: string;
  signal: AbortSignal;
}

/** Returns the answer to a request of `/api/v1`. Throws when it is refused. */
export async function send(
  { api, apiKey, signal }: Target,
  method: string,
  path: string,
  body?: Record<string, unknown>,
): Promise<unknown> {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    ...(body ? { 'Content-Type': 'application/json' } : {}),
  };
  const request = { method, signal, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await exchange(`${api}/api/v1/${path}`, request, LIMITS);
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
