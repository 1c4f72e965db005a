import { createHash, createHmac } from 'node:crypto';
import dns from 'node:dns';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { s3Store } from '../../../../../shared/wings/push/destinations/stores/s3.ts';
import { PART_BYTES } from '../../../../../shared/wings/push/destinations/stores/s3-parts.ts';
import { sha256Of } from '../../../../../shared/wings/push/destinations/stores/s3-request.ts';
import { newFolder } from '../../../../support/destinations.ts';

const KEY = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const REGION = 'eu-central-1';

interface Sent {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

let server: Server;
let sent: Sent[] = [];
/** The bodies of the next answers; after them all are empty. */
let answers: string[] = [];

beforeAll(async () => {
  server = createServer((req, res) => {
    const { method = '', url = '', headers } = req;
    sent.push({ method, url, headers });
    req.resume();
    res.end(answers.shift() ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  sent = [];
  answers = [];
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const newStore = ({ host = '127.0.0.1', path_style = true } = {}) => {
  const endpoint = `http://${host}:${(server.address() as AddressInfo).port}`;
  const bucket = { endpoint, region: REGION, bucket: 'lake', access_key_id: KEY, path_style };
  return s3Store(bucket, { secretAccessKey: SECRET, timeScale: 100_000 });
};

/** A hash as the signer of AWS takes it: with a key it is an HMAC. */
class Sha256 {
  readonly #hash;

  constructor(key?: unknown) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', key as Uint8Array);
  }

  update(data: unknown): void {
    this.#hash.update(data as Uint8Array);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

/** The header that the signer of the AWS SDK gives a request, as it went over the wire. */
async function signedByAws({ method, url, headers }: Sent): Promise<string | undefined> {
  const credentials = { accessKeyId: KEY, secretAccessKey: SECRET };
  const options = { service: 's3', region: REGION, uriEscapePath: false };
  const signer = new SignatureV4({ ...options, credentials, sha256: Sha256 });
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, names = ''] = /SignedHeaders=([^,]*)/.exec(headers.authorization ?? '') ?? [];
  const request = {
    method,
    protocol: 'http:',
    hostname: '127.0.0.1',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(names.split(';').map((name) => [name, String(headers[name])])),
  };
  const [, ...parts] = /(....)(..)(..)T(..)(..)(..)Z/.exec(String(headers['x-amz-date'])) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const signingDate = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const signed = await signer.sign(request, { signingDate });
  return signed.headers.authorization;
}

const FOLDER = 'out/a-b_c.d/billing_period=2026-02/charge_date=2026-02-01';
const ENCODED = 'out/a-b_c.d/billing_period%3D2026-02/charge_date%3D2026-02-01';

test('requests have the signature of the AWS SDK, also for names with =', async () => {
  const store = newStore();
  const path = join(newFolder(), 'part');
  await writeFile(path, 'text');
  await store.read(`${FOLDER}/manifest.json`);
  await store.putText(`${FOLDER}/manifest.json`, 'text', 'absent');
  await store.putText(`${FOLDER}/manifest.json`, 'text', { etag: '"e=1"' });
  await store.putFile(`${FOLDER}/part=0`, { path, bytes: 4, sha256: sha256Of('text') }, 'text/csv');
  answers = ['<R><NextContinuationToken>1/a+b==</NextContinuationToken></R>'];
  await store.list(`${FOLDER}/`);
  await store.remove(`${FOLDER}/part=0`);
  const list = `/lake?list-type=2&prefix=${encodeURIComponent(`${FOLDER}/`)}&delimiter=%2F`;
  expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `GET /lake/${ENCODED}/manifest.json`,
    `PUT /lake/${ENCODED}/manifest.json`,
    `PUT /lake/${ENCODED}/manifest.json`,
    `PUT /lake/${ENCODED}/part%3D0`,
    `GET ${list}`,
    `GET ${list}&continuation-token=1%2Fa%2Bb%3D%3D`,
    `DELETE /lake/${ENCODED}/part%3D0`,
  ]);
  for (const one of sent) expect(one.headers.authorization).toBe(await signedByAws(one));
});

test('a bucket in the name of the host is signed with that name, as the AWS SDK does', async () => {
  const path = join(newFolder(), 'large');
  await writeFile(path, Buffer.alloc(PART_BYTES + 1));
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((_host: string, ...rest: unknown[]) => {
    const answered = rest.at(-1) as (error: null, found: { address: string; family: number }[]) => void;
    answered(null, [{ address: '127.0.0.1', family: 4 }]);
  }) as typeof dns.lookup);
  const store = newStore({ host: 's3.example.com', path_style: false });
  await store.read(`${FOLDER}/manifest.json`);
  await store.putText(`${FOLDER}/manifest.json`, 'text', { etag: '"e=1"' });
  await store.list(`${FOLDER}/`);
  answers = ['<R><UploadId>u=/+1</UploadId></R>'];
  await store.putFile(`${FOLDER}/large`, { path, bytes: PART_BYTES + 1, sha256: '' }, 'text/csv');
  lookup.mockRestore();
  const host = `lake.s3.example.com:${(server.address() as AddressInfo).port}`;
  expect(new Set(sent.map(({ headers }) => headers.host))).toEqual(new Set([host]));
  expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `GET /${ENCODED}/manifest.json`,
    `PUT /${ENCODED}/manifest.json`,
    `GET /?list-type=2&prefix=${encodeURIComponent(`${FOLDER}/`)}&delimiter=%2F`,
    `POST /${ENCODED}/large?uploads=`,
    `PUT /${ENCODED}/large?partNumber=1&uploadId=u%3D%2F%2B1`,
    `PUT /${ENCODED}/large?partNumber=2&uploadId=u%3D%2F%2B1`,
    `POST /${ENCODED}/large?uploadId=u%3D%2F%2B1`,
  ]);
  for (const one of sent) {
    expect(one.headers.authorization).toMatch(/SignedHeaders=[^,]*\bhost\b/);
    expect(one.headers.authorization).toBe(await signedByAws(one));
  }
});

test('a file in parts is signed part by part, as the AWS SDK does', async () => {
  const path = join(newFolder(), 'large');
  await writeFile(path, Buffer.alloc(PART_BYTES + 1));
  answers = ['<R><UploadId>u=/+1</UploadId></R>'];
  await newStore().putFile(`${FOLDER}/large`, { path, bytes: PART_BYTES + 1, sha256: '' }, 'text/csv');
  expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `POST /lake/${ENCODED}/large?uploads=`,
    `PUT /lake/${ENCODED}/large?partNumber=1&uploadId=u%3D%2F%2B1`,
    `PUT /lake/${ENCODED}/large?partNumber=2&uploadId=u%3D%2F%2B1`,
    `POST /lake/${ENCODED}/large?uploadId=u%3D%2F%2B1`,
  ]);
  for (const one of sent) expect(one.headers.authorization).toBe(await signedByAws(one));
});
