import { z } from 'zod';

const answerSchema = z.object({
  results: z.array(
    z.object({
      status: z.enum(['accepted', 'duplicate', 'rejected']),
      code: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
});
/** What became of one signal. */
export type SignalResult = z.infer<typeof answerSchema>['results'][number];

/** A wait of that many milliseconds. */
export type Pause = (ms: number) => Promise<unknown>;

/** Where signals go, and what ends the sending early. */
export interface Target {
  /** Base URL of the API. */
  readonly api: string;
  readonly apiKey: string;
  /** Whether these are history: what is old among them then raises no webhooks, budget events or anomalies. */
  readonly historical?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

const problemSchema = z.object({ code: z.string(), detail: z.string().optional() });

const MAX_ATTEMPTS = 10;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 30_000;
const REQUEST_TIMEOUT_MS = 60_000;
const RETRYABLE = new Set([429, 502, 503, 504]);

/**
 * Posts one batch (`POST /api/v1/signals`) and returns a result for each signal, in order. While the API is away or
 * asks to wait it sends the same bytes again, up to 10 times: the signals' ids make a repeat harmless. Throws when
 * the API refuses the batch or stays away, and what `target.signal` carries when it is aborted.
 */
export async function sendSignals(
  target: Target,
  signals: readonly object[],
  pause: Pause,
): Promise<SignalResult[]> {
  const url = new URL('/api/v1/signals', target.api);
  const body = JSON.stringify({ signals, historical: target.historical === true ? true : undefined });
  for (let attempt = 1; ; attempt += 1) {
    const answer = await tryPost(url, target, body);
    target.signal?.throwIfAborted();
    const failed = typeof answer === 'string';
    if (!failed && answer.status === 200) return readResults(answer, signals.length);
    const reason = failed ? `${url.origin} cannot be reached: ${answer}` : describeRefusal(answer);
    if (!failed && !RETRYABLE.has(answer.status)) throw new Error(reason);
    if (attempt === MAX_ATTEMPTS) throw new Error(`gave up after ${MAX_ATTEMPTS} attempts: ${reason}`);
    await pause(retryWaitMs(failed ? null : answer.retryAfter, attempt));
  }
}

/** The whole answer, or in words why there is none. */
async function tryPost(url: URL, target: Target, body: string): Promise<Answer | string> {
  try {
    const headers = { authorization: `Bearer ${target.apiKey}`, 'content-type': 'application/json' };
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const signal = target.signal ? AbortSignal.any([timeout, target.signal]) : timeout;
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: await response.text() };
  } catch (error) {
    // fetch says only "fetch failed"; what happened to the socket is its cause.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message || cause.name : String(cause);
  }
}

/** What `Retry-After` asks for (whole seconds), else doubling from a quarter of a second; at most half a minute. */
function retryWaitMs(retryAfter: string | null, attempt: number): number {
  const askedMs = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined;
  return Math.min(askedMs ?? FIRST_RETRY_MS * 2 ** (attempt - 1), MAX_RETRY_MS);
}

function readResults(answer: Answer, expected: number): SignalResult[] {
  const { results } = answerSchema.parse(parseJson(answer.body));
  if (results.length !== expected) throw new Error(`sent ${expected} signals, got ${results.length} results`);
  return results;
}

function describeRefusal(answer: Answer): string {
  const problem = problemSchema.safeParse(parseJson(answer.body));
  const reason = problem.success ? ` ${problem.data.code}: ${problem.data.detail ?? ''}` : '';
  return `POST /api/v1/signals answered ${answer.status}${reason}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
