import { exchange } from '../../../platform/outward/exchange.ts';

const LIMITS = { deadlineMs: 3_000, mostBytes: 262_144 };

/**
 * Fetches a small JSON document of the identity provider: at most 3 s in all, at most 256 KiB after inflating, no
 * redirect. Throws an Error that says what was wrong.
 */
export async function fetchJson(url: string): Promise<unknown> {
  const answer = await exchange(url, { headers: { Accept: 'application/json' } }, LIMITS);
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`);
  return answer.json();
}
