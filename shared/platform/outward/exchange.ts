import { readBounded } from './read-bounded.ts';

export interface Limits {
  /** The longest from the look-up of the name to the last byte of the answer. Milliseconds. */
  deadlineMs: number;
  /** The longest body of an answer, counted after inflating. */
  mostBytes: number;
}

/**
 * Sends one request and returns the answer with its whole body: the one way out by `fetch`. Redirects are not followed: 3xx is an
 * answer as any other. Throws what `fetch` throws, the reason of the request's own signal, a TimeoutError at the deadline, and an
 * Error for an answer that is too long, the rest of which is not read.
 */
export async function exchange(
  url: string | URL,
  request: Omit<RequestInit, 'redirect'>,
  { deadlineMs, mostBytes }: Limits,
): Promise<Response> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline;
  const { status, headers, body } = await fetch(url, { ...request, redirect: 'manual', signal });
  const tooLong = () => new Error(`the answer has more than ${mostBytes} bytes`);
  const bytes = body ? await readBounded(body, mostBytes, tooLong) : Buffer.alloc(0);
  // Answers such as 204 may have no body at all.
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
}
