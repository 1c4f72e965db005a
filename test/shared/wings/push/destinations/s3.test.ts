import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { deleteDestination } from '../../../../../shared/wings/push/destinations/manage-destinations.ts';
import { destinationRows, exportRunRows } from '../../../../../shared/wings/push/destinations/model.ts';
import { refusePathless } from '../../../../../shared/wings/push/destinations/refuse-place.ts';
import { runDestination } from '../../../../../shared/wings/push/destinations/runs/run-destination.ts';
import { s3Store } from '../../../../../shared/wings/push/destinations/stores/s3.ts';
import { PART_BYTES } from '../../../../../shared/wings/push/destinations/stores/s3-parts.ts';
import type { S3Options } from '../../../../../shared/wings/push/destinations/stores/s3-request.ts';
import { testDestination } from '../../../../../shared/wings/push/destinations/test-destination.ts';
import { checkManifests, makeDestination } from '../../../../support/destinations.ts';
import { makeTenant } from '../../../../support/factories.ts';
import { createTestClock, startApi, type TestApi } from '../../../../support/harness.ts';
import { hasS3, startS3, type TestS3 } from '../../../../support/s3.ts';
import { listen, temporaryFolder } from '../../../../support/temporary.ts';
import { recordAll } from '../../../../support/usage.ts';

const BUCKET = {
  endpoint: 'http://127.0.0.1:1',
  region: 'us-east-1',
  bucket: 'lake',
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  path_style: true,
};
const isThere = hasS3();

let answers: { status: number; headers?: Record<string, string>; body?: string; isHung?: true }[] = [];
const seen: string[] = [];
/** A server that gives the answers of a test. */
const endpoint = await listen(
  createServer((req, res) => {
    seen.push(`${req.method} ${req.url}`);
    const { status, headers = {}, body = '', isHung = false } = answers.shift() ?? { status: 200 };
    if (!isHung) res.writeHead(status, headers).end(body);
  }),
  afterAll,
);

describe('a bucket', () => {
  const clock = createTestClock(Date.parse('2026-02-03T12:00:00Z'));
  let s3: TestS3;
  let api: TestApi;
  let orgId: string;
  let made = 0;
  let bucket: string;

  beforeAll(async () => {
    if (!isThere) return;
    s3 = await startS3();
    api = await startApi({ clock, env: { EXPORT_S3_ENDPOINTS: s3.url, TIME_SCALE: '1000' } });
  });
  beforeEach(async ({ skip }) => {
    if (!isThere) skip('there is no moto (pip install "moto[server]==5.2", or its binary in MOTO_SERVER)');
    await s3.takeAll();
    ({ orgId } = await makeTenant(api.ctx));
    made += 1;
    bucket = `lake-${made}`;
    await s3.makeBucket(bucket);
  });
  afterAll(async () => {
    await api?.close();
    await s3?.stop();
  });

  const place = () => ({
    kind: 's3',
    endpoint: s3.url,
    region: 'us-east-1',
    bucket,
    access_key_id: 'any',
    secret_access_key: 'any',
    levels: [{ level: 'focus', format: 'parquet' }],
  });
  const make = (body: Record<string, unknown> = {}) =>
    makeDestination(api.ctx, orgId, { ...place(), ...body });
  const report = (minute: number) =>
    recordAll(api.ctx, orgId, [{ ts: Date.parse('2026-02-02T10:00:00Z') + minute * 60_000 }]);
  const untilDue = async (id: string) => {
    const due = await dueRows(api.ctx).findOne({ _id: `run-destination ${id}` });
    clock.set(due?.due_at.getTime() ?? clock.now());
  };
  const run = async (id: string) => {
    await untilDue(id);
    await runDestination(api.ctx, id);
    const runs = await exportRunRows(api.ctx).find({ destination_id: id }).sort({ created_at: -1 }).toArray();
    return runs[0];
  };

  test('gets files, manifest, metadata and marker, and refuses the write that its condition rules out', async () => {
    await report(0);
    const { _id } = await make();
    expect(await run(_id)).toMatchObject({ state: 'succeeded', partitions_written: 1, code: null });
    const objects = await s3.objects(bucket);
    const folder = 'out/focus/1.2/billing_period=2026-02/charge_date=2026-02-02';
    expect(Object.keys(objects)).toEqual([
      'out/_governor.json',
      `${folder}/manifest.json`,
      expect.stringMatching(`^${folder}/part-000-[0-9a-f]{16}\\.parquet$`),
      'out/focus/1.2/focus_metadata.json',
    ]);
    checkManifests(objects);
    expect(await destinationRows(api.ctx).findOne({ _id })).toMatchObject({ conditional_writes: true });
    await report(1);
    expect(await run(_id)).toMatchObject({ partitions_written: 1 });
    const after = await s3.objects(bucket);
    checkManifests(after);
    expect(Object.keys(after)).toHaveLength(4);
    expect(Object.keys(after)).not.toEqual(Object.keys(objects));
  });

  test('of a deleted destination is taken over, by one of its organization alone, and by one at a time', async () => {
    await report(0);
    const first = await make();
    await run(first._id);
    const before = await s3.objects(bucket);
    await deleteDestination(api.ctx, orgId, first._id);
    const stranger = await makeTenant(api.ctx);
    const foreign = await makeDestination(api.ctx, stranger.orgId, place());
    expect(await testDestination(api.ctx, foreign)).toMatchObject({ ok: false, code: 'prefix_in_use' });
    expect(await s3.objects(bucket)).toEqual(before);
    const next = await Promise.all([make(), make()]);
    const tried = await Promise.all(next.map((destination) => testDestination(api.ctx, destination)));
    expect(tried.filter(({ ok }) => ok)).toHaveLength(1);
    expect(tried.filter(({ code }) => code === 'prefix_in_use')).toHaveLength(1);
    const winner = next[tried.findIndex(({ ok }) => ok)];
    expect(await run(winner?._id ?? '')).toMatchObject({ state: 'succeeded', partitions_written: 1 });
    const after = await s3.objects(bucket);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(Object.values(checkManifests(after))).toMatchObject([{ destination_id: winner?._id }]);
  });

  test('takes what its key has signed, with the hash of the body, and says what is wrong with another', async () => {
    const { accessKeyId, secretAccessKey } = await s3.checkSignatures();
    const place = { ...BUCKET, endpoint: s3.url, bucket, access_key_id: accessKeyId };
    const store = s3Store(place, { secretAccessKey, timeScale: 1_000 });
    const etag = await store.putText('out/x', 'text', 'absent');
    expect(await store.putText('out/x', 'other', 'absent')).toBeNull();
    expect(await store.read('out/x')).toEqual({ text: 'text', etag });
    const forged = s3Store(place, { secretAccessKey: 'wrong', timeScale: 1_000 });
    await expect(forged.read('x')).rejects.toMatchObject({ code: 'signature_mismatch' });
    const unknown = s3Store({ ...place, access_key_id: 'AKIAWRONG' }, { secretAccessKey, timeScale: 1_000 });
    await expect(unknown.putText('x', 'text', 'any')).rejects.toMatchObject({ code: 'invalid_access_key' });
  });

  test('gets a large file in parts, and what a worker that died left of such an upload goes', async () => {
    const place = { ...BUCKET, endpoint: s3.url, bucket };
    const store = s3Store(place, { secretAccessKey: 'any', timeScale: 1_000 });
    const path = join(temporaryFolder(), 'large');
    const content = randomBytes(2 * PART_BYTES + 17);
    await writeFile(path, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const name = 'part-000-0123456789abcdef.parquet';
    for (const left of [name, 'foreign']) await s3.call('POST', `/${bucket}/out/d=1/${left}?uploads=`);
    await store.putFile(
      `out/d=1/${name}`,
      { path, bytes: content.length, sha256 },
      'application/octet-stream',
    );
    const objects = await s3.objects(bucket);
    const read = Buffer.from(objects[`out/d=1/${name}`] ?? '', 'latin1');
    expect(createHash('sha256').update(read).digest('hex')).toBe(sha256);
    await store.removeUnfinished('out/d=1/', (own) => own === name);
    const uploads = await s3.call('GET', `/${bucket}?uploads=`);
    expect([...uploads.matchAll(/<Key>([^<]*)</g)].map(([, key]) => key)).toEqual(['out/d=1/foreign']);
  });

  test('is tried, and its destination keeps what that showed', async () => {
    const [destination, lost] = [await make(), await make({ bucket: 'nowhere' })];
    const tried = await testDestination(api.ctx, destination);
    expect(tried).toEqual({ ok: true, code: null, detail: null, conditional_writes: true });
    expect(await testDestination(api.ctx, lost)).toMatchObject({ ok: false, code: 'no_such_bucket' });
    const { _id } = destination;
    expect(await destinationRows(api.ctx).findOne({ _id })).toMatchObject({ conditional_writes: true });
  });
});

describe('a request', () => {
  beforeEach(() => {
    seen.length = 0;
    answers = [];
  });
  const store = (change: Partial<typeof BUCKET> = {}, options: Partial<S3Options> = {}) =>
    s3Store(
      { ...BUCKET, endpoint, ...change },
      { secretAccessKey: 'secret', timeScale: 100_000, ...options },
    );
  const error = (code: string) => `<Error><Code>${code}</Code><Message>secret text</Message></Error>`;

  test('that meets 429 or 5xx is tried five times, then the place is unavailable', async () => {
    answers = [503, 429, 500, 502, 200].map((status) => ({ status, body: 'x' }));
    expect((await store().read('a'))?.text).toBe('x');
    answers = Array.from({ length: 9 }, () => ({ status: 503, body: error('SlowDown') }));
    const failure = await store()
      .read('a')
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'unavailable' });
    expect(String(failure)).toContain('SlowDown');
    expect(String(failure)).not.toContain('secret text');
    expect(seen).toHaveLength(10);
  });

  test.each([
    ['InvalidAccessKeyId', 403, 'invalid_access_key'],
    ['SignatureDoesNotMatch', 403, 'signature_mismatch'],
    ['AccessDenied', 403, 'access_denied'],
    ['Other', 403, 'access_denied'],
    ['AuthorizationHeaderMalformed', 400, 'wrong_region'],
    ['RequestTimeTooSkewed', 403, 'clock_skew'],
    ['NoSuchBucket', 404, 'no_such_bucket'],
    ['EntityTooLarge', 400, 'unexpected'],
    ['PermanentRedirect', 301, 'wrong_region'],
  ])('that is refused as %s says so, and goes nowhere else', async (code, status, ours) => {
    answers = [{ status, headers: { location: '/elsewhere' }, body: error(code) }];
    await expect(store().read('a')).rejects.toMatchObject({ code: ours });
    expect(seen).toEqual(['GET /lake/a']);
  });

  test('without a server is unreachable', async () => {
    await expect(store({ endpoint: 'http://127.0.0.1:1' }).read('a')).rejects.toMatchObject({
      code: 'unreachable',
    });
  });

  test('waits as long as the server says, but no longer than a minute', async () => {
    answers = [
      { status: 503, headers: { 'retry-after': '3600' } },
      { status: 200, body: 'x' },
    ];
    const beganMs = performance.now();
    expect((await store({}, { timeScale: 100 }).read('a'))?.text).toBe('x');
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(590);
    expect(performance.now() - beganMs).toBeLessThan(30_000);
  });

  test('that is not answered in time is a timeout, and is not repeated', async () => {
    answers = [{ status: 200, isHung: true }];
    const patience = new AbortController();
    const read = store({}, { signal: patience.signal }).read('a');
    await vi.waitFor(() => expect(seen).toHaveLength(1), 10_000);
    patience.abort();
    await expect(read).rejects.toMatchObject({ code: 'timeout' });
    expect(seen).toHaveLength(1);
  });

  test('to a server whose certificate nobody vouches for is not sent', async () => {
    const own = (name: string) => readFile(new URL(`../../../../support/tls/${name}.pem`, import.meta.url));
    let requests = 0;
    const secure = createTlsServer({ key: await own('key'), cert: await own('certificate') }, () => {
      requests += 1;
    });
    const endpoint = (await listen(secure)).replace('http:', 'https:');
    await expect(store({ endpoint }).read('a')).rejects.toMatchObject({ code: 'tls' });
    expect(requests).toBe(0);
  });

  test('that completes an upload is refused by an error after its 200, and the upload is aborted', async () => {
    const path = join(temporaryFolder(), 'large');
    await writeFile(path, Buffer.alloc(PART_BYTES + 1));
    answers = [
      { status: 200, body: '<R><UploadId>u1</UploadId></R>' },
      { status: 200, headers: { etag: '"1"' } },
      { status: 200, headers: { etag: '"2"' } },
      { status: 200, body: error('InternalError') },
    ];
    const put = store().putFile('a', { path, bytes: PART_BYTES + 1, sha256: '' }, 'text/csv');
    await expect(put).rejects.toMatchObject({ code: 'unavailable' });
    expect(seen).toEqual([
      'POST /lake/a?uploads=',
      'PUT /lake/a?partNumber=1&uploadId=u1',
      'PUT /lake/a?partNumber=2&uploadId=u1',
      'POST /lake/a?uploadId=u1',
      'DELETE /lake/a?uploadId=u1',
    ]);
  });

  test('lists all pages, with what XML escapes', async () => {
    const next = '<NextContinuationToken>t&amp;1</NextContinuationToken>';
    answers = [`<Key>a&amp;b</Key>${next}`, '<Key>c=1/d</Key>'].map((body) => ({ status: 200, body }));
    expect(await store().list('p=1/')).toEqual(['a&b', 'c=1/d']);
    expect(seen[1]).toContain('continuation-token=t%261');
  });

  test('keeps only wanted keys of a list, and of a look one key is asked for', async () => {
    answers = [{ status: 200, body: '<Key>p/part</Key><Key>p/other</Key>' }, { status: 200 }];
    expect(await store().list('p/', { isWanted: (name) => name === 'part' })).toEqual(['p/part']);
    await store().list('p/', { isTry: true });
    expect(seen[1]).toContain('max-keys=1');
  });

  test.each([
    ['1,001 keys', '<Key>k</Key>'.repeat(1_001)],
    ['more than a mebibyte', ' '.repeat(1_048_577)],
  ])('that lists %s in a page is refused', async (_, body) => {
    answers = [{ status: 200, body }];
    await expect(store().list('p/')).rejects.toMatchObject({ code: 'unexpected' });
    expect(seen).toHaveLength(1);
  });

  test.each(['http://127.0.0.1:9000', 'http://127.1', 'https://10.0.0.1'])(
    'to %s has the bucket in the path',
    (endpoint) => {
      expect(() => refusePathless({ ...BUCKET, endpoint, path_style: false })).toThrow('path_style');
      expect(() => refusePathless({ ...BUCKET, endpoint })).not.toThrow();
      const named = { ...BUCKET, endpoint: 'https://s3.example.com:9000', path_style: false };
      expect(() => refusePathless(named)).not.toThrow();
    },
  );

  test('stops a list at 10,000 keys', async () => {
    const body = `${'<Key>k</Key>'.repeat(1_000)}<NextContinuationToken>t</NextContinuationToken>`;
    answers = Array.from({ length: 20 }, () => ({ status: 200, body }));
    expect(await store().list('p/')).toHaveLength(10_000);
    expect(seen).toHaveLength(10);
  });

  test('reads no more of an object than is asked for', async () => {
    answers = [{ status: 200, body: 'x'.repeat(65_537) }];
    await expect(store().read('a', 65_536)).rejects.toMatchObject({ code: 'unexpected' });
  });

  test('whose answer never ends is a timeout, also while bytes arrive', async () => {
    const dripping = createServer((_, res) => {
      res.writeHead(200, { 'content-length': '4000000' });
      const drip = setInterval(() => res.write('x'), 20);
      res.on('close', () => clearInterval(drip));
    });
    const read = store({ endpoint: await listen(dripping) }, { answerMs: 100 }).read('a');
    await expect(read).rejects.toMatchObject({ code: 'timeout' });
  });

  test('to a server without conditional writes is repeated without the condition', async () => {
    answers = [
      { status: 501, body: error('NotImplemented') },
      { status: 200, headers: { etag: '"e"' } },
    ];
    expect(await store().putText('a', 'x', 'absent')).toBe('"e"');
    expect(seen).toEqual(['PUT /lake/a', 'PUT /lake/a']);
  });
});
