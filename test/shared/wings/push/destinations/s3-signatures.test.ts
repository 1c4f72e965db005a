import { createHash, createHmac } from 'node:crypto';
import dns from 'node:dns';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { s3Store } from '../../../../../shared/wings/push/destinations/stores/s3.ts';
import { PART_BYTES } from '../../../../../shared/wings/push/destinations/stores/s3-parts.ts';
import { sha256Of } from '../../../../../shared/wings/push/destinations/stores/s3-request.ts';
import { listen, temporaryFolder } from '../../../../support/temporary.ts';

const KEY = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const REGION = 'eu-central-1';

interface Sent {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

let sent: Sent[] = [];
/** The bodies of the next answers; after them all are empty. */
let answers: string[] = [];
const address = new URL(
  await listen(
    createServer((req, res) => {
      const { method = '', url = '', headers } = req;
      sent.push({ method, url, headers });
      req.resume();
      res.end(answers.shift() ?? '');
    }),
    afterAll,
  ),
);
beforeEach(() => {
  sent = [];
  answers = [];
});

const newStore = (host: string, path_style: boolean) => {
  const endpoint = `http://${host}:${address.port}`;
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

/** Every name of a host is this machine. */
const lookUp = ((_host: string, ...rest: unknown[]) => {
  const answered = rest.at(-1) as (error: null, found: { address: string; family: number }[]) => void;
  answered(null, [{ address: '127.0.0.1', family: 4 }]);
}) as typeof dns.lookup;

test.each([
  { where: 'path', host: '127.0.0.1', root: '/lake', bucket: '/lake/' },
  { where: 'name of the host', host: 's3.example.com', root: '/', bucket: '/' },
])(
  'with the bucket in the $where requests have the signature of the AWS SDK, also for names with = and for each part of a file',
  async ({ where, host, root, bucket }) => {
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(lookUp);
    const store = newStore(host, where === 'path');
    const path = join(temporaryFolder(), 'part');
    await writeFile(path, Buffer.alloc(PART_BYTES + 1));
    await store.read(`${FOLDER}/manifest.json`);
    await store.putText(`${FOLDER}/manifest.json`, 'text', 'absent');
    await store.putText(`${FOLDER}/manifest.json`, 'text', { etag: '"e=1"' });
    await store.putFile(`${FOLDER}/part=0`, { path, bytes: 4, sha256: sha256Of('text') }, 'text/csv');
    answers = ['<R><NextContinuationToken>1/a+b==</NextContinuationToken></R>'];
    await store.list(`${FOLDER}/`);
    await store.remove(`${FOLDER}/part=0`);
    answers = ['<R><UploadId>u=/+1</UploadId></R>'];
    await store.putFile(`${FOLDER}/large`, { path, bytes: PART_BYTES + 1, sha256: '' }, 'text/csv');
    lookup.mockRestore();
    const list = `${root}?list-type=2&prefix=${encodeURIComponent(`${FOLDER}/`)}&delimiter=%2F`;
    const below = `${bucket}${ENCODED}`;
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${below}/manifest.json`,
      `PUT ${below}/manifest.json`,
      `PUT ${below}/manifest.json`,
      `PUT ${below}/part%3D0`,
      `GET ${list}`,
      `GET ${list}&continuation-token=1%2Fa%2Bb%3D%3D`,
      `DELETE ${below}/part%3D0`,
      `POST ${below}/large?uploads=`,
      `PUT ${below}/large?partNumber=1&uploadId=u%3D%2F%2B1`,
      `PUT ${below}/large?partNumber=2&uploadId=u%3D%2F%2B1`,
      `POST ${below}/large?uploadId=u%3D%2F%2B1`,
    ]);
    const name = where === 'path' ? host : `lake.${host}`;
    for (const one of sent) {
      expect(one.headers.host).toBe(`${name}:${address.port}`);
      expect(one.headers.authorization).toMatch(/SignedHeaders=[^,]*\bhost\b/);
      expect(one.headers.authorization).toBe(await signedByAws(one));
    }
  },
);
