import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request } from 'undici';
import { ExportFailure } from '../failures.ts';
import type { Bucket } from '../model.ts';
import { failureOf, failureWithoutAnswer, s3Code } from './s3-failures.ts';
import type { Expected, ObjectStore } from './store.ts';

const NO_PROGRESS_MS = 30_000;
const agent = new Agent({
  connect: { timeout: 10_000 },
  headersTimeout: NO_PROGRESS_MS,
  bodyTimeout: NO_PROGRESS_MS,
});

const TRIES = 5;
const FIRST_WAIT_MS = 500;
const LONGEST_RETRY_AFTER_MS = 60_000;
/** Answers are small: manifests and lists of 1,000 keys. */
const MOST_ANSWER_BYTES = 4_194_304;
const MOST_LIST_PAGES = 1_000;

/** How a bucket is spoken to. */
export interface S3Options {
  secretAccessKey: string;
  /** Divides the waits between tries. */
  timeScale: number;
  signal?: AbortSignal | undefined;
}

interface Call {
  method: 'GET' | 'PUT' | 'DELETE';
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: { text: string } | { path: string; bytes: number };
  sha256?: string;
}

interface Answer {
  status: number;
  text: string;
  etag: string;
  retryAfterMs: number;
}

/**
 * A bucket as a place for objects. Each request is signed with the hash of its body (AWS Signature Version 4). A request that meets
 * 429, 5xx or a broken connection is tried five times; redirects are not followed.
 */
export function s3Store(bucket: Bucket, options: S3Options): ObjectStore {
  const send = (call: Call) => sendUntilAnswered(bucket, options, call);
  return {
    refusesWrites: null,
    read: async (key) => {
      const answer = await send({ method: 'GET', key });
      if (answer.status === 404 && s3Code(answer.text) !== 'NoSuchBucket') return null;
      return { text: accepted(answer).text, etag: answer.etag };
    },
    putFile: async (key, { path, bytes, sha256 }, contentType) => {
      const headers = { 'content-type': contentType, 'content-length': String(bytes) };
      accepted(await send({ method: 'PUT', key, headers, body: { path, bytes }, sha256 }));
    },
    putText: (key, text, expected) => putText(send, key, text, expected),
    list: (prefix) => list(send, prefix),
    remove: async (key) => {
      const answer = await send({ method: 'DELETE', key });
      if (answer.status !== 404) accepted(answer);
    },
  };
}

type Send = (call: Call) => Promise<Answer>;

async function putText(send: Send, key: string, text: string, expected: Expected): Promise<string | null> {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
  };
  const call = { method: 'PUT', key, body: { text }, sha256: sha256Of(text) } as const;
  const answer = await send({ ...call, headers: { ...headers, ...condition(expected) } });
  if (answer.status === 412 || (answer.status === 404 && typeof expected === 'object')) return null;
  // A server without conditional writes: the claim of the run alone keeps others away.
  if (answer.status === 501) return accepted(await send({ ...call, headers })).etag;
  return accepted(answer).etag;
}

function condition(expected: Expected): Record<string, string> {
  if (expected === 'any') return {};
  return expected === 'absent' ? { 'if-none-match': '*' } : { 'if-match': expected.etag };
}

async function list(send: Send, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  let token: string | null = null;
  for (let page = 0; page < MOST_LIST_PAGES; page += 1) {
    const query: Record<string, string> = { 'list-type': '2', prefix, delimiter: '/' };
    if (token !== null) query['continuation-token'] = token;
    const { text } = accepted(await send({ method: 'GET', query }));
    keys.push(...[...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescaped(key)));
    token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? null;
    if (token === null) return keys;
    token = unescaped(token);
  }
  throw new ExportFailure('unexpected', 'the list does not end');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(xml: string): string {
  return xml.replace(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

function accepted(answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw failureOf(answer.status, answer.text);
}

async function sendUntilAnswered(bucket: Bucket, options: S3Options, call: Call): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === TRIES;
    try {
      const answer = await sendOnce(bucket, options, call);
      const isRefused = answer.status === 429 || (answer.status >= 500 && answer.status !== 501);
      if (!isRefused || isLast) return answer;
      await pause(attempt, options, answer.retryAfterMs);
    } catch (error) {
      const failure = failureWithoutAnswer(error);
      if (isLast || failure.code === 'tls' || options.signal?.aborted) throw failure;
      await pause(attempt, options, 0);
    }
  }
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
    body: body === undefined ? null : 'text' in body ? body.text : createReadStream(body.path),
    signal: options.signal ?? null,
  });
  const retryAfter = Number(answer.headers['retry-after'] ?? 0);
  return {
    status: answer.statusCode,
    text: await readText(answer.body),
    etag: String(answer.headers.etag ?? ''),
    retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1_000 : 0,
  };
}

function addressOf({ endpoint, bucket, path_style }: Bucket, { key, query = {} }: Call): URL {
  const url = new URL(endpoint);
  if (!path_style) url.host = `${bucket}.${url.host}`;
  const path = [...(path_style ? [bucket] : []), ...(key === undefined ? [] : key.split('/'))];
  url.pathname = `/${path.map(encodeURIComponent).join('/')}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MOST_ANSWER_BYTES) throw new ExportFailure('unexpected', 'the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
