import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { ExportFailure } from '../failures.ts';
import { failureOf, s3Code } from './s3-failures.ts';
import { accepted, type Send, sha256Of } from './s3-request.ts';

/** Bytes of a part. A larger file is uploaded in parts, so that a broken connection repeats one of them. */
export const PART_BYTES = 16_777_216;
/** Unfinished uploads of one list. */
const MOST_LISTED = 1_000;

/** Uploads a file in parts. One that fails is aborted; one whose worker dies stays, until `abortUploads`. Throws `ExportFailure`. */
export async function putInParts(
  send: Send,
  key: string,
  { path, bytes }: { path: string; bytes: number },
  contentType: string,
): Promise<void> {
  const headers = { 'content-type': contentType };
  const begun = accepted(await send({ method: 'POST', key, query: { uploads: '' }, headers }));
  const [uploadId = ''] = textsOf(begun.text, 'UploadId');
  try {
    const etags: string[] = [];
    for (let start = 0; start < bytes; start += PART_BYTES) {
      const body = { path, start, bytes: Math.min(PART_BYTES, bytes - start) };
      const query = { partNumber: String(etags.length + 1), uploadId };
      const length = { 'content-length': String(body.bytes) };
      const sha256 = await hashOf(body);
      etags.push(accepted(await send({ method: 'PUT', key, query, headers: length, body, sha256 })).etag);
    }
    await complete(send, key, uploadId, etags);
  } catch (error) {
    await send({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined);
    throw error;
  }
}

async function complete(send: Send, key: string, uploadId: string, etags: readonly string[]): Promise<void> {
  const parts = etags.map((etag, index) => {
    const quoted = etag.replaceAll('"', '&quot;');
    return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${quoted}</ETag></Part>`;
  });
  const text = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  const headers = { 'content-type': 'application/xml', 'content-length': String(Buffer.byteLength(text)) };
  const sha256 = sha256Of(text);
  const answer = accepted(
    await send({ method: 'POST', key, query: { uploadId }, headers, body: { text }, sha256 }),
  );
  // S3 answers 200 before it has put the parts together, and an error after that.
  if (s3Code(answer.text) !== null) throw failureOf(500, answer.text);
}

/** Aborts the unfinished uploads of files of ours in a folder, which ends with a slash: those of workers that died. */
export async function abortUploads(
  send: Send,
  folder: string,
  isOwn: (name: string) => boolean,
): Promise<void> {
  const query = { uploads: '', prefix: folder, 'max-uploads': String(MOST_LISTED) };
  const { text } = accepted(await send({ method: 'GET', query }));
  const [, ...uploads] = text.split('<Upload>');
  if (uploads.length > MOST_LISTED) throw new ExportFailure('unexpected', 'the list is too long');
  for (const upload of uploads) {
    const [key = ''] = textsOf(upload, 'Key');
    const [uploadId = ''] = textsOf(upload, 'UploadId');
    if (!isOwn(key.slice(folder.length))) continue;
    const answer = await send({ method: 'DELETE', key, query: { uploadId } });
    if (answer.status !== 404) accepted(answer);
  }
}

async function hashOf({ path, start, bytes }: { path: string; start: number; bytes: number }) {
  const sha256 = createHash('sha256');
  for await (const chunk of createReadStream(path, { start, end: start + bytes - 1 }))
    sha256.update(chunk as Buffer);
  return sha256.digest('hex');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(xml: string): string {
  return xml.replace(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

export function textsOf(xml: string, name: string): string[] {
  const elements = xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'));
  return [...elements].map(([, text = '']) => unescaped(text));
}
