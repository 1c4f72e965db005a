import { describe, expect, test } from 'vitest';
import { decryptSecret } from '../../shared/core/events/webhooks/endpoints/encrypt-secret.ts';
import { rotateSecretKeys } from '../../shared/core/events/webhooks/endpoints/rotate-secret-keys.ts';
import { purge } from '../../shared/core/retention/purge.ts';
import { DESTINATIONS_PER_ORGANIZATION } from '../../shared/platform/basics/contract.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { RETENTION } from '../../shared/tables/retention.ts';
import { SEALED_ROWS } from '../../shared/tables/secrets.ts';
import { destinationChange } from '../../shared/wings/push/destinations/input.ts';
import {
  destinationRows,
  exportPartitionRows,
  exportRunRows,
} from '../../shared/wings/push/destinations/model.ts';
import { runDestination } from '../../shared/wings/push/destinations/runs/run-destination.ts';
import { FOLDER, newFolder } from '../support/destinations.ts';
import { fixture } from '../support/fixture.ts';
import { startApi } from '../support/harness.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY';
const BUCKET = {
  name: 'Lake',
  kind: 's3',
  prefix: 'exports/governor',
  endpoint: 'https://eu.s3.example.com',
  region: 'eu-central-1',
  bucket: 'acme-finops',
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: SECRET,
  levels: [{ level: 'focus', format: 'parquet', focus_version: '1.3' }],
};
const DAILY = { level: 'daily', format: 'csv' };
const f = await fixture({
  clock: '2026-02-03T12:00:00Z',
  idp: true,
  env: {
    EXPORT_FOLDER: newFolder(),
    EXPORT_S3_ENDPOINTS: 'https://*.s3.example.com,http://127.0.0.1:9000',
  },
  perTest: true,
});
const { api, clock } = f;
const PATH = '/api/v1/destinations';
const add = (body: unknown = FOLDER, by = f.key) => f.send(PATH, body, { key: by });
const change = (id: string, body: unknown, by = f.key) => f.patch(`${PATH}/${id}`, body, { key: by });
const get = (id: string) => f.send(`${PATH}/${id}`);
const pointers = ({ body }: { body: { errors?: { pointer: string }[] } }) =>
  (body.errors ?? []).map(({ pointer }) => pointer);

describe('a destination', () => {
  test('is added with defaults, shown without its secret, listed, changed and deleted, with lines in the audit log', async () => {
    const added = await add(BUCKET);
    expect(added.status, added.text).toBe(201);
    const { secret_access_key: _, ...given } = BUCKET;
    const never = { status: 'never_run', code: null, conditional_writes: null, last_run: null };
    const defaults = { path_style: true, hour_utc: 3, since: '2026-02-01', enabled: true };
    expect(added.body).toEqual({
      ...given,
      ...defaults,
      ...never,
      id: expect.stringMatching(/^dst_\w{22}$/),
      secret_set_at: '2026-02-03T12:00:00.000Z',
      made_by: { user_id: null, key_id: f.keyId },
      levels: [{ ...BUCKET.levels[0], billed: 'computed' }],
      created_at: '2026-02-03T12:00:00.000Z',
      next_run_at: '2026-02-04T03:00:00.000Z',
      behind_days: 2,
    });
    const { id } = added.body;
    expect((await get(id)).body).toEqual(added.body);
    expect(await f.ask(PATH)).toEqual({ data: [added.body] });
    const wanted = { hour_utc: 14, name: 'Lake 2' };
    const next_run_at = '2026-02-03T14:00:00.000Z';
    expect((await change(id, wanted)).body).toEqual({ ...added.body, ...wanted, next_run_at });
    expect((await f.remove(`${PATH}/${id}`)).status).toBe(204);
    expect((await get(id)).status).toBe(404);
    expect(await dueRows(api.ctx).countDocuments({ key: id })).toBe(0);
    const of = { destination_id: id, kind: 's3' };
    const lines = (await f.audited(/^destination/)).toSorted((a, b) => (a.action < b.action ? -1 : 1));
    // All of one moment, by the clock of the test.
    expect(lines.map(({ action, details }) => [action, details])).toEqual([
      ['destination.create', { ...of, name: 'Lake' }],
      ['destination.delete', { ...of, name: 'Lake 2' }],
      ['destination.update', { ...of, name: 'Lake 2', changed: ['name', 'hour_utc'] }],
    ]);
  });

  test('keeps its secret sealed, for itself alone, through a rotation of the keys', async () => {
    const { body } = await add(BUCKET);
    const row = await destinationRows(api.ctx).findOne({ _id: body.id });
    expect(JSON.stringify(row)).not.toContain(SECRET);
    expect(decryptSecret(api.ctx.config, body.id, row?.secret ?? '')).toBe(SECRET);
    expect(() => decryptSecret(api.ctx.config, 'dst_other', row?.secret ?? '')).toThrow();
    const webhookSecretKeys = `fresh:${Buffer.alloc(32, 2).toString('base64')},${api.ctx.config.webhookSecretKeys}`;
    const rotated = { ...api.ctx, config: { ...api.ctx.config, webhookSecretKeys } };
    await rotateSecretKeys(rotated, SEALED_ROWS);
    const again = await destinationRows(api.ctx).findOne({ _id: body.id });
    expect(again?.secret).toMatch(/^v1\.fresh\./);
    expect(decryptSecret(rotated.config, body.id, again?.secret ?? '')).toBe(SECRET);
    await destinationRows(api.ctx).deleteMany({});
  });

  test('needs the secret again for another endpoint or access key, and for nothing else', async () => {
    const { body } = await add(BUCKET);
    for (const elsewhere of [{ endpoint: 'http://127.0.0.1:9000' }, { access_key_id: 'OTHER' }]) {
      const refused = await change(body.id, elsewhere);
      expect([refused.status, pointers(refused)]).toEqual([400, ['/secret_access_key']]);
      clock.advance(1_000);
      const taken = await change(body.id, { ...elsewhere, secret_access_key: 'another' });
      expect(taken.body).toMatchObject({ ...elsewhere, secret_set_at: new Date(clock.now()).toISOString() });
    }
    expect((await change(body.id, { bucket: 'other-bucket', region: 'us-east-1' })).status).toBe(200);
  });

  test.each([
    ['/endpoint', { endpoint: 'https://s3.example.org' }],
    ['/endpoint', { endpoint: 'http://eu.s3.example.com' }],
    ['/endpoint', { endpoint: 'https://s3.example.com' }],
    ['/endpoint', { endpoint: 'https://eu.s3.example.com:8443' }],
    ['/endpoint', { endpoint: 'https://eu.s3.example.com/path' }],
    ['/endpoint', { endpoint: 'https://evil.example#.s3.example.com' }],
    ['/endpoint', { endpoint: 'https://user@eu.s3.example.com' }],
    ['/bucket', { bucket: 'Upper' }],
    ['/bucket', { bucket: '10.0.0.1' }],
    ['/bucket', { bucket: 'a' }],
    ['/bucket', { bucket: 'a..b' }],
    ['/prefix', { prefix: 'a/../b' }],
    ['/prefix', { prefix: '/a' }],
    ['/prefix', { prefix: 'a//b' }],
    ['/prefix', { prefix: 'ä' }],
    ['/prefix', { prefix: 'a'.repeat(201) }],
    ['/secret_access_key', { secret_access_key: 'with blank' }],
    ['/region', { region: 'eu central' }],
    ['/hour_utc', { hour_utc: 24 }],
    ['/since', { since: '2026-02-30' }],
    ['/since', { since: '2026-02-04' }],
    ['/levels', { levels: [] }],
    ['/levels', { levels: [DAILY, { ...DAILY, format: 'parquet' }] }],
    ['/levels/0', { levels: [{ ...DAILY, billed: 'computed' }] }],
    ['/secret', { secret: 'x' }],
  ])('is refused at %s: %j', async (pointer, wrong) => {
    const refused = await add({ ...BUCKET, ...wrong });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect(pointers(refused)).toEqual([pointer]);
    expect(await destinationRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(0);
  });

  /** Changes of each field of a destination that has its days since 1 February, and how many it lacks then. */
  const changes: [field: keyof typeof destinationChange.shape, change: object, lacking: number][] = [
    ['name', { name: 'Pond' }, 0],
    ['hour_utc', { hour_utc: 14 }, 0],
    ['enabled', { enabled: false }, 0],
    ['since', { since: '2026-02-02' }, 0],
    ['since', { since: '2026-01-30' }, 4],
    ['levels', { levels: BUCKET.levels, since: '2026-02-01' }, 0],
    ['levels', { levels: [...BUCKET.levels, DAILY] }, 2],
    ['levels', { levels: [{ ...BUCKET.levels[0], format: 'csv' }] }, 2],
    ['levels', { levels: [{ ...BUCKET.levels[0], focus_version: '1.2' }] }, 2],
    ['levels', { levels: [{ ...BUCKET.levels[0], billed: 'invoice' }] }, 2],
    ['prefix', { prefix: 'elsewhere' }, 2],
    ['bucket', { bucket: 'other-bucket' }, 2],
    ['endpoint', { endpoint: 'http://127.0.0.1:9000', secret_access_key: 'another' }, 2],
    ['region', { region: 'us-east-1' }, 0],
    ['path_style', { path_style: false }, 0],
    ['access_key_id', { access_key_id: 'OTHER', secret_access_key: 'another' }, 0],
    ['secret_access_key', { secret_access_key: 'another' }, 0],
  ];
  test.each(changes)('counts the days that it lacks after a change of its %s: %j', async (...of) => {
    const [, fields, lacking] = of;
    const { id } = (await add(BUCKET)).body;
    await destinationRows(api.ctx).updateOne({ _id: id }, { $set: { through: '2026-02-02' } });
    expect((await get(id)).body.behind_days).toBe(0);
    const changed = await change(id, fields);
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.behind_days).toBe(lacking);
  });

  test('says for each field that can be changed which days it lacks then', () => {
    const fields = new Set(changes.map(([field]) => field));
    expect(fields).toEqual(new Set(Object.keys(destinationChange.shape)));
  });

  test('that is a folder has no field of a bucket', async () => {
    const refused = await add({ ...FOLDER, bucket: 'acme-finops' });
    expect([refused.status, pointers(refused)]).toEqual([400, ['/bucket']]);
    const { body } = await add();
    expect(pointers(await change(body.id, { region: 'eu-central-1' }))).toEqual(['/region']);
    expect(pointers(await change(body.id, { secret_access_key: 'x' }))).toEqual(['/secret_access_key']);
  });

  test('is of a kind that the operator has set up', async () => {
    const config = { ...api.ctx.config, exportS3Endpoints: [], exportFolder: undefined };
    const other = await startApi({ ctx: { ...api.ctx, config } });
    for (const body of [FOLDER, BUCKET])
      expect(pointers(await other.call(PATH, { key: f.key, body }))).toEqual(['/kind']);
    await other.close();
  });

  test('is one of at most five, also when all are added at once', async () => {
    await add();
    const answers = await Promise.all(Array.from({ length: DESTINATIONS_PER_ORGANIZATION }, () => add()));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body.code)).toEqual(['conflict']);
  });

  test('is the concern of keys that are bound to nobody', async () => {
    expect((await add(FOLDER, await f.keyOf('ada'))).body.code).toBe('missing_scope');
  });
});

describe('a run', () => {
  const ask = (id: string, body: unknown = {}) => f.send(`${PATH}/${id}/runs`, body);
  const report = () => f.spend({ ts: Date.parse('2026-02-02T10:00:00Z') });

  test('is asked for, and is shown with the days that it wrote', async () => {
    await report();
    const { id } = (await add()).body;
    const asked = await ask(id);
    const queued = { trigger: 'manual', state: 'queued', partitions_written: 0 };
    expect(asked).toMatchObject({ status: 202, body: queued });
    await runDestination(api.ctx, id);
    const run = await f.ask(`${PATH}/${id}/runs/${asked.body.id}`);
    expect(run).toMatchObject({ state: 'succeeded', partitions_written: 1, rows: 2, code: null });
    expect(await f.ask(`${PATH}/${id}/runs`)).toMatchObject({ data: [run], total: 1, has_more: false });
    const next_run_at = '2026-02-04T03:00:00.000Z';
    const done = { status: 'ok', behind_days: 0, conditional_writes: false, next_run_at };
    expect((await get(id)).body).toMatchObject({ ...done, last_run: run });
    const partitions = (month: string) => f.ask(`${PATH}/${id}/partitions?billing_period=${month}`);
    const day = { level: 'focus', charge_date: '2026-02-02', billing_period: '2026-02', state: 'open' };
    const sums = expect.objectContaining({ EffectiveCost: expect.stringMatching(/^0\.\d{9}$/) });
    const manifest_key = 'out/focus/1.2/billing_period=2026-02/charge_date=2026-02-02/manifest.json';
    const written = {
      manifest_key,
      written_at: '2026-02-03T12:00:00.000Z',
      files: 1,
      rows: 2,
      bytes: run.bytes,
    };
    expect((await partitions('2026-02')).data).toEqual([{ ...day, ...written, sums }]);
    expect((await partitions('2026-01')).total).toBe(0);
    const wrong = await ask(id, { from: '2026-02-02', to: '2026-02-01' });
    expect(wrong.body.code).toBe('invalid_request');
  });

  test('of a destination that is paused ends, and no other is planned', async () => {
    const { id } = (await add()).body;
    await ask(id);
    const paused = await change(id, { enabled: false });
    expect(paused.body).toMatchObject({ status: 'paused', next_run_at: null });
    await runDestination(api.ctx, id);
    const run = await exportRunRows(api.ctx).findOne({ destination_id: id });
    expect(run).toMatchObject({ state: 'failed', code: 'stale' });
    expect(await dueRows(api.ctx).countDocuments({ key: id })).toBe(0);
    const next_run_at = '2026-02-04T03:00:00.000Z';
    expect((await change(id, { enabled: true })).body).toMatchObject({ status: 'never_run', next_run_at });
  });

  test('goes after 90 days, and with its destination', async () => {
    await report();
    const { id } = (await add()).body;
    await ask(id);
    await runDestination(api.ctx, id);
    await ask(id);
    const own = { destination_id: id };
    clock.advance(91 * 86_400_000);
    await ask(id);
    await purge(api.ctx, RETENTION);
    expect(await exportRunRows(api.ctx).countDocuments(own)).toBe(0);
    await f.remove(`${PATH}/${id}`);
    expect(await exportPartitionRows(api.ctx).countDocuments(own)).toBe(0);
  });
});

describe('a test', () => {
  const tryIt = (id: string) => f.send(`${PATH}/${id}/test`, undefined, { method: 'POST' });

  test('takes the prefix by its marker, and the destination shows what it saw; of a taken one it says so', async () => {
    const [first, second] = [await add(), await add()];
    const seen = { ok: true, code: null, detail: null, conditional_writes: false };
    expect((await tryIt(first.body.id)).body).toEqual(seen);
    expect((await get(first.body.id)).body).toEqual({ ...first.body, conditional_writes: false });
    expect((await tryIt(second.body.id)).body).toMatchObject({ ok: false, code: 'prefix_in_use' });
    expect(await f.audited('destination.test')).toHaveLength(2);
  });
});
