import { ExportFailure } from '../failures.ts';
import type { Bucket } from '../model.ts';
import { s3Code } from './s3-failures.ts';
import { abortUploads, PART_BYTES, putInParts, textsOf } from './s3-parts.ts';
import { accepted, type Call, type S3Options, type Send, sendUntilAnswered, sha256Of } from './s3-request.ts';
import type { Expected, ObjectStore } from './store.ts';

/** Pages of a list, keys of a page, and keys that are kept of all pages. */
const MOST_LIST_PAGES = 1_000;
const PAGE_KEYS = 1_000;
const MOST_KEPT = 10_000;
/** Bytes of an object that is read: a manifest names some files. */
const MOST_READ_BYTES = 4_194_304;

/** A bucket as a place for objects. Files of more than 16 MiB are uploaded in parts. */
export function s3Store(bucket: Bucket, options: S3Options): ObjectStore {
  let hasParts = false;
  const send = (call: Call) => sendUntilAnswered(bucket, options, call);
  return {
    refusesWrites: null,
    read: async (key, mostBytes = MOST_READ_BYTES) => {
      const answer = await send({ method: 'GET', key, mostBytes });
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
    list: async (prefix, { isWanted = () => true, isTry = false } = {}) => {
      if (!isTry) return list(send, prefix, isWanted);
      return (await listPage(send, prefix, { 'max-keys': '1' })).keys.filter((key) =>
        isWanted(key.slice(prefix.length)),
      );
    },
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

/** The wanted keys, copied: a part of a page would keep all of it in memory. */
async function list(send: Send, prefix: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  let query: Record<string, string> = {};
  for (let page = 0; page < MOST_LIST_PAGES; page += 1) {
    const { keys, token } = await listPage(send, prefix, query);
    for (const key of keys) if (isWanted(key.slice(prefix.length))) found.push(Buffer.from(key).toString());
    if (token === null || found.length >= MOST_KEPT) return found.slice(0, MOST_KEPT);
    query = { 'continuation-token': token };
  }
  throw new ExportFailure('unexpected', 'the list does not end');
}

async function listPage(send: Send, prefix: string, more: Record<string, string>) {
  const query = { 'list-type': '2', prefix, delimiter: '/', ...more };
  const { text } = accepted(await send({ method: 'GET', query }));
  const keys = textsOf(text, 'Key');
  if (keys.length > PAGE_KEYS) throw new ExportFailure('unexpected', 'the list is too long');
  const [token = null] = textsOf(text, 'NextContinuationToken');
  return { keys, token };
}
