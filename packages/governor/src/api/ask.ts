import { z } from 'zod';
import { exchange } from '../../../../shared/platform/outward/exchange.ts';

/** Where to ask, and with which key. */
export interface Api {
  /** Base URL, with or without a slash at the end. */
  readonly api: string;
  readonly apiKey: string;
  /** Ends the asking early. */
  readonly signal?: AbortSignal | undefined;
}

/** A wait of that many milliseconds. */
export type Pause = (ms: number) => Promise<unknown>;

/** The api cannot be reached or cannot serve now; later it may. */
export class ApiAway extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ApiAway';
  }
}

/** The api answered that it will not, with this HTTP status. */
export class ApiRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiRefused';
    this.status = status;
  }
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
/** The largest answer is a page of pull requests, or the results of a batch. */
const LIMITS = { deadlineMs: 60_000, mostBytes: 16_777_216 };
const RETRYABLE = new Set([429, 502, 503, 504]);

/**
 * Returns the content of a 200 answer to a GET, or to a POST of `body`. While the api is away or asks to wait it sends the same
 * bytes again, up to 10 times. Throws `ApiRefused`, `ApiAway`, an Error for an answer of another shape, and the reason of
 * `target.signal` when it is aborted.
 */
export async function ask<Content>(
  target: Api,
  path: string,
  body: string | null,
  pause: Pause,
  shape: z.ZodType<Content>,
): Promise<Content> {
  const { url, headers } = requestTo(target, path);
  const request = body === null ? { headers } : { method: 'POST', headers, body };
  const named = `${body === null ? 'GET' : 'POST'} ${path.split('?')[0]}`;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await tryRequest(url, request, target.signal);
    target.signal?.throwIfAborted();
    const failed = typeof answer === 'string';
    if (!failed && answer.status === 200) return readAnswer(target, answer, shape);
    const reason = failed
      ? `${url.origin} cannot be reached: ${answer}`
      : `${named} ${describeRefusal(answer)}`;
    if (!failed && !RETRYABLE.has(answer.status)) throw new ApiRefused(answer.status, reason);
    if (attempt === MAX_ATTEMPTS) throw new ApiAway(`gave up after ${MAX_ATTEMPTS} attempts: ${reason}`);
    await pause(retryWaitMs(failed ? null : answer.retryAfter, attempt));
  }
}

/**
 * URL and headers of a request. Throws for an address or a key that cannot be one: `fetch` would quote the key in what it
 * throws.
 */
export function requestTo({ api, apiKey }: Api, path: string): { url: URL; headers: Record<string, string> } {
  const base = URL.parse(api);
  if (!base || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '')
    throw new Error(
      'The address of the api must be like https://governor.example.com, without a user or a password.',
    );
  const key = apiKey.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('The API key holds characters that no key has.');
  return {
    url: new URL(`${api.replace(/\/+$/, '')}${path}`),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  };
}

/** The whole answer, or in words why there is none. */
async function tryRequest(url: URL, request: RequestInit, ended?: AbortSignal): Promise<Answer | string> {
  try {
    const response = await exchange(url, { ...request, signal: ended ?? null }, LIMITS);
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: await response.text() };
  } catch (error) {
    return describeFailure(error);
  }
}

/** Why a request failed. `fetch` says only "fetch failed"; what happened to the socket is its cause. */
export function describeFailure(error: unknown): string {
  const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** The wait that `Retry-After` asks for (whole seconds), else doubling from a quarter of a second; at most half a minute. */
function retryWaitMs(retryAfter: string | null, attempt: number): number {
  const askedMs = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined;
  return Math.min(askedMs ?? FIRST_RETRY_MS * 2 ** (attempt - 1), MAX_RETRY_MS);
}

function readAnswer<Content>({ api }: Api, { body }: Answer, shape: z.ZodType<Content>): Content {
  const content = shape.safeParse(parseJson(body));
  if (!content.success) throw new Error(`The service at ${api} is not usage-governor.`);
  return content.data;
}

/** The status of an answer other than 200, and its problem. */
export function describeRefusal(answer: Pick<Answer, 'status' | 'body'>): string {
  const problem = problemSchema.safeParse(parseJson(answer.body));
  const reason = problem.success ? ` ${problem.data.code}: ${problem.data.detail ?? ''}` : '';
  return `answered ${answer.status}${reason}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
