import { ExportFailure } from '../failures.ts';
import type { Bucket } from '../model.ts';
import { s3Code } from './s3-failures.ts';
import { abortUploads, PART_BYTES, putInParts, textsOf } from './s3-parts.ts';
import { accepted, type Call, type S3Options, type Send, sendUntilAnswered, sha256Of } from './s3-request.ts';
import type { Expected, ObjectStore } from './store.ts';

const MOST_LIST_PAGES = 1_000;

/** A bucket as a place for objects. Files of more than 16 MiB are uploaded in parts. */
export function s3Store(bucket: Bucket, options: S3Options): ObjectStore {
  let hasParts = false;
  const send = (call: Call) => sendUntilAnswered(bucket, options, call);
  return {
    refusesWrites: null,
    read: async (key) => {
      const answer = await send({ method: 'GET', key });
      if (answer.status === 404 && s3Code(answer.text) !== 'NoSuchBucket') return null;
      return { text: accepted(answer).text, etag: answer.etag };
    },
    putFile: async (key, { path, bytes, sha256 }, contentType) => {
      if (bytes > PART_BYTES) {
        hasParts = true;
        await putInParts(send, key, { path, bytes }, contentType);
        return;
      }
      const headers = { 'content-type': contentType, 'content-length': String(bytes) };
      accepted(await send({ method: 'PUT', key, headers, body: { path, bytes }, sha256 }));
    },
    removeUnfinished: async (folder, isOwn) => {
      // A worker that died left something only if it wrote a file that this one, too, writes in parts.
      if (hasParts) await abortUploads(send, folder, isOwn);
    },
    putText: (key, text, expected) => putText(send, key, text, expected),
    list: (prefix) => list(send, prefix),
    remove: async (key) => {
      const answer = await send({ method: 'DELETE', key });
      if (answer.status !== 404) accepted(answer);
    },
  };
}

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
    keys.push(...textsOf(text, 'Key'));
    [token = null] = textsOf(text, 'NextContinuationToken');
    if (token === null) return keys;
  }
  throw new ExportFailure('unexpected', 'the list does not end');
}
