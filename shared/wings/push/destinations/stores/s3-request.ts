import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request } from 'undici';
import { readBounded } from '../../../../platform/outward/read-bounded.ts';
import { ExportFailure, RunLost } from '../failures.ts';
import type { Bucket } from '../model.ts';
import { failureOf, failureWithoutAnswer } from './s3-failures.ts';

const NO_PROGRESS_MS = 30_000;
const agent = new Agent({
  connect: { timeout: 10_000 },
  headersTimeout: NO_PROGRESS_MS,
  bodyTimeout: NO_PROGRESS_MS,
});

const TRIES = 5;
const FIRST_WAIT_MS = 500;
const LONGEST_RETRY_AFTER_MS = 60_000;
/** Bytes of an answer, unless its request says otherwise: lists of 1,000 keys have less. */
const MOST_ANSWER_BYTES = 1_048_576;
/** The longest that a try without a file may take, from its start to the last byte of the answer. */
const ANSWER_MS = 30_000;
/** A file gets a minute, and more by its size. */
const UPLOAD_MS = 60_000;
const SLOWEST_BYTES_PER_MS = 50;

/** How a bucket is spoken to. */
export interface S3Options {
  secretAccessKey: string;
  /** Divides the waits between tries. */
  timeScale: number;
  /** Ends every request. Its reason is what is thrown. */
  signal?: AbortSignal | undefined;
  /** The longest that a try without a file may take, 30 seconds if omitted. */
  answerMs?: number;
}

/** A request, relative to the bucket. */
export interface Call {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Text, or bytes of a file: from `start` (0 by default) on, `bytes` long. */
  body?: { text: string } | { path: string; bytes: number; start?: number };
  sha256?: string;
  /** A longer answer is an error. */
  mostBytes?: number;
}

export interface Answer {
  status: number;
  text: string;
  etag: string;
  retryAfterMs: number;
}

export type Send = (call: Call) => Promise<Answer>;

/** The answer, unless it is an error. Throws `ExportFailure`. */
export function accepted(answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw failureOf(answer.status, answer.text);
}

/**
 * Sends a request, signed with the hash of its body (AWS Signature Version 4). One that meets 429, 5xx or a broken connection is tried
 * five times, each of them for a limited time; redirects are not followed. Throws `ExportFailure` where there is no answer.
 */
export async function sendUntilAnswered(bucket: Bucket, options: S3Options, call: Call): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === TRIES;
    try {
      const answer = await sendOnce(bucket, options, call);
      const isRefused = answer.status === 429 || (answer.status >= 500 && answer.status !== 501);
      if (!isRefused || isLast) return answer;
      await pause(attempt, options, answer.retryAfterMs);
    } catch (error) {
      if (options.signal?.aborted) throw reasonOf(options.signal);
      const failure = failureWithoutAnswer(error);
      const isForGood = failure.code === 'tls' || failure.code === 'unexpected';
      if (isLast || isForGood) throw failure;
      await pause(attempt, options, 0);
    }
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof RunLost ? reason : failureWithoutAnswer(reason);
}

/** The end of one try: its deadline, or the end of all requests. */
function endOf({ body }: Call, { signal, answerMs = ANSWER_MS }: S3Options): AbortSignal {
  const bytes = body !== undefined && 'path' in body ? body.bytes : null;
  const longestMs = bytes === null ? answerMs : UPLOAD_MS + Math.ceil(bytes / SLOWEST_BYTES_PER_MS);
  const deadline = AbortSignal.timeout(longestMs);
  return signal ? AbortSignal.any([signal, deadline]) : deadline;
}

/** Waits twice as long each time, from half a second, jittered by half. */
async function pause(attempt: number, { timeScale, signal }: S3Options, leastMs: number): Promise<void> {
  const backoffMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
  const waitMs = Math.max(backoffMs, Math.min(leastMs, LONGEST_RETRY_AFTER_MS)) / timeScale;
  await wait(waitMs, undefined, signal ? { signal } : {}).catch(() => undefined);
}

async function sendOnce(bucket: Bucket, options: S3Options, call: Call): Promise<Answer> {
  const { method, body, sha256 = sha256Of('') } = call;
  const url = addressOf(bucket, call);
  const signed = await new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...call.headers, 'x-amz-content-sha256': sha256 },
    accessKeyId: bucket.access_key_id,
    secretAccessKey: options.secretAccessKey,
    service: 's3',
    region: bucket.region,
  }).sign();
  const answer = await request(signed.url, {
    dispatcher: agent,
    method,
    headers: Object.fromEntries(signed.headers),
    body: bodyOf(body),
    signal: endOf(call, options),
  });
  const retryAfter = Number(answer.headers['retry-after'] ?? 0);
  return {
    status: answer.statusCode,
    text: String(await readBounded(answer.body, call.mostBytes ?? MOST_ANSWER_BYTES, tooLong)),
    etag: String(answer.headers.etag ?? ''),
    retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1_000 : 0,
  };
}

const tooLong = () => new ExportFailure('unexpected', 'the answer is too large');

function bodyOf(body: Call['body']) {
  if (body === undefined) return null;
  if ('text' in body) return body.text;
  const { path, bytes, start = 0 } = body;
  return bytes === 0 ? '' : createReadStream(path, { start, end: start + bytes - 1 });
}

function addressOf({ endpoint, bucket, path_style }: Bucket, { key, query = {} }: Call): URL {
  const url = new URL(endpoint);
  if (!path_style) url.host = `${bucket}.${url.host}`;
  const path = [...(path_style ? [bucket] : []), ...(key === undefined ? [] : key.split('/'))];
  url.pathname = `/${path.map(encodeURIComponent).join('/')}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
