import { z } from 'zod';
import { exchange, type Limits } from '../../../../shared/platform/outward/exchange.ts';

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

const problemSchema = z.object({
  code: z.string(),
  detail: z.string().optional(),
  errors: z
    .array(z.object({ pointer: z.string().optional(), parameter: z.string().optional(), detail: z.string() }))
    .optional(),
});

/** How a request is sent, where it is not as most are. */
export interface How {
  readonly method?: 'PATCH';
  /** Beside those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How often it is sent at most; 10 times by default. */
  readonly attempts?: number;
  readonly limits?: Limits;
}

const MAX_ATTEMPTS = 10;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 30_000;
/** The largest answer is a page of pull requests, or the results of a batch. */
const LIMITS: Limits = { deadlineMs: 60_000, mostBytes: 16_777_216 };
/** As often as a person waits for. */
export const FOR_PEOPLE: How = { attempts: 3 };
const RETRYABLE = new Set([429, 502, 503, 504]);

/**
 * Returns the content of a 2xx answer to a GET, or to a POST of `body`. While the api is away or asks to wait it sends the same
 * bytes again, as often as `how` allows. Throws `ApiRefused`, `ApiAway`, an Error for an answer of another shape, and the reason of
 * `target.signal` when it is aborted.
 */
export async function ask<Content>(
  target: Api,
  path: string,
  body: string | null,
  pause: Pause,
  shape: z.ZodType<Content>,
  how: How = {},
): Promise<Content> {
  const { attempts = MAX_ATTEMPTS, limits = LIMITS } = how;
  const { url, headers: own } = requestTo(target, path);
  const headers = { ...own, ...how.headers };
  const method = how.method ?? (body === null ? 'GET' : 'POST');
  const request = body === null ? { headers } : { method, headers, body };
  const named = `${method} ${path.split('?')[0]}`;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await tryRequest(url, request, limits, target.signal);
    target.signal?.throwIfAborted();
    const failed = typeof answer === 'string';
    if (!failed && answer.status >= 200 && answer.status < 300) return readAnswer(target, answer, shape);
    const reason = failed
      ? `${url.origin} cannot be reached: ${answer}`
      : `${named} ${describeRefusal(answer)}`;
    if (!failed && !RETRYABLE.has(answer.status)) throw new ApiRefused(answer.status, reason);
    if (attempt === attempts)
      throw new ApiAway(attempts === 1 ? reason : `gave up after ${attempts} attempts: ${reason}`);
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
async function tryRequest(
  url: URL,
  request: RequestInit,
  limits: Limits,
  ended?: AbortSignal,
): Promise<Answer | string> {
  try {
    const response = await exchange(url, { ...request, signal: ended ?? null }, limits);
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: await response.text() };
  } catch (error) {
    const reason = describeFailure(error);
    // https://fetch.spec.whatwg.org/#port-blocking
    return reason === 'bad port' ? `no HTTP client may use port ${url.port}` : reason;
  }
}

/** The words for errors of files, by their codes. */
const OF_FILES: Readonly<Record<string, string>> = {
  ENOENT: 'There is no file or folder',
  EACCES: 'You may not read or write',
  EISDIR: 'This is a folder, not a file:',
  ENOTDIR: 'This is a file, not a folder:',
};

/** Why something failed. `fetch` says only "fetch failed"; what happened to the socket is its cause. */
export function describeFailure(error: unknown): string {
  const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code = '', path } = cause as NodeJS.ErrnoException;
  const words = OF_FILES[code];
  return words && path ? `${words} ${path}` : cause.message || cause.name;
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

/** The status of an answer that refuses, and its problem with the fields that it names. */
export function describeRefusal({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  const problem = problemSchema.safeParse(parseJson(body));
  if (!problem.success) return `answered ${status}`;
  const { code, detail = '', errors = [] } = problem.data;
  if (status === 401)
    return `answered ${status} ${code}: this key is unknown there, or was revoked or has expired`;
  const more = errors
    .filter((error) => !detail.includes(error.detail))
    .map((error) => ` ${error.parameter ?? (error.pointer ?? '').slice(1)}: ${error.detail}.`);
  return `answered ${status} ${code}: ${detail}${more.join('')}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
