import type { Dispatcher } from 'undici';
import type { AttemptError } from '../deliveries/model.ts';
import { firstBytes } from '../messages/text.ts';

export interface Answered {
  status: number | null;
  error: AttemptError | null;
  latencyMs: number;
  answer: string | null;
}

export interface PostRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  /** How much of the answer is kept; then the socket is closed. */
  answerBytes: number;
}

/** How long the rest of an answer is waited for after its headers. */
const ANSWER_PATIENCE_MS = 1_000;

/**
 * Answers that nobody asked for, by the words of undici, which ends a connection at them. Other interim answers are read over (RFC 9110
 * section 15.2).
 */
const INTERIM: Readonly<Record<string, number>> = { 'bad response': 100, 'bad upgrade': 101 };

/**
 * One POST, never followed by another: no redirects, no retries. One deadline over DNS, connect, TLS and headers, by a
 * timer of its own: undici heeds no abort while it connects, and its timeouts begin again with each phase. Never throws.
 */
export async function post(dispatcher: Dispatcher, request: PostRequest): Promise<Answered> {
  const { promise, resolve } = Promise.withResolvers<Answered>();
  const startedMs = performance.now();
  const elapsedMs = () => Math.round((performance.now() - startedMs) * 100) / 100;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let headers: { status: number; latencyMs: number } | null = null;
  let isFinished = false;
  let abort: (() => void) | null = null;

  function finish(error: AttemptError | null): void {
    if (isFinished) return;
    isFinished = true;
    clearTimeout(timer);
    // Bytes that are not UTF-8 take more room as text.
    const answer =
      bytes === 0 ? null : firstBytes(Buffer.concat(chunks).toString('utf8'), request.answerBytes);
    if (headers) resolve({ ...headers, error: isSuccess(headers.status) ? null : 'http', answer });
    else resolve({ status: null, error, latencyMs: elapsedMs(), answer });
  }
  function cut(error: AttemptError | null): void {
    finish(error);
    abort?.();
  }
  let timer = setTimeout(() => cut('timeout'), request.timeoutMs);

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      abort = () => controller.abort(new Error('cut'));
      // The deadline passed while it was connecting: nothing is sent any more.
      if (isFinished) abort();
    },
    onResponseStart: (_controller, statusCode) => {
      if (statusCode < 200 || isFinished) return;
      headers = { status: statusCode, latencyMs: elapsedMs() };
      clearTimeout(timer);
      const patienceMs = Math.max(0, Math.min(ANSWER_PATIENCE_MS, request.timeoutMs - headers.latencyMs));
      timer = setTimeout(() => cut(null), patienceMs);
    },
    onResponseData: (_controller, chunk) => {
      if (isFinished) return;
      const room = request.answerBytes - bytes;
      chunks.push(Buffer.from(chunk.subarray(0, room)));
      bytes += Math.min(chunk.length, room);
      if (chunk.length > room) cut(null);
    },
    onResponseEnd: () => finish(null),
    onResponseError: (_controller, error) => {
      const interim = INTERIM[error.message];
      if (interim !== undefined) headers ??= { status: interim, latencyMs: elapsedMs() };
      finish(errorClassOf(error));
    },
  };
  try {
    const { path, headers: requestHeaders, body } = request;
    dispatcher.dispatch({ path, method: 'POST', headers: requestHeaders, body }, handler);
  } catch (error) {
    finish(errorClassOf(error as Error));
  }
  return promise;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Where an attempt without an answer failed. */
export function errorClassOf(error: Error): AttemptError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'EBLOCKED') return 'blocked';
  if (code === 'EDNS' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'dns';
  if (code.includes('TIMEOUT') || code === 'ETIMEDOUT') return 'timeout';
  if (/^(ERR_TLS|ERR_SSL|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/.test(code))
    return 'tls';
  if (/secure TLS connection/.test(error.message)) return 'tls';
  // An answer of 101 that names no protocol fails in an assertion of undici.
  if (/^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES|ERR_ASSERTION)/.test(code)) return 'http';
  return 'connect';
}
