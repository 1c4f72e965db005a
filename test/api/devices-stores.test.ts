import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type RunningStore, startRedis } from '../../packages/stack/stores.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { type OwnMongo, startOwnMongo } from '../support/drills/own-mongo.ts';
import { startApi, type TestApi } from '../support/harness.ts';
import { startIssuer, type TestIssuer } from '../support/idp.ts';
import { approve, linkDevice, makePerson, type Person, poll, revoke, startLink } from '../support/people.ts';

let idp: TestIssuer;
let folder: string;
let mongo: OwnMongo;
let redis: RunningStore;
let api: TestApi;
let person: Person;

beforeEach(async () => {
  idp = await startIssuer();
  folder = mkdtempSync(join(tmpdir(), 'usage-governor-devices-'));
  mongo = await startOwnMongo();
  redis = await startRedis({ port: await findFreePort(), dir: join(folder, 'redis'), fast: true });
  api = await startApi({ env: idp.env, mongoUrl: mongo.url, redisUrl: redis.url });
  await waitUntilReady(api.ctx.redis.meter, 5_000);
  person = await makePerson(api.ctx, idp);
});
afterEach(async () => {
  await api.close().catch(() => undefined);
  await Promise.all([mongo.stop(), redis.stop(), idp.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

test('without Redis a device is neither linked nor revoked: 503, and nothing says otherwise afterwards', async () => {
  const { device_id } = await linkDevice(api, person);
  const { user_code, device_code } = await startLink(api);
  expect((await approve(api, person, user_code)).status).toBe(204);
  await redis.stop();
  const refused = await revoke(api, person, device_id);
  expect([refused.status, refused.body.code]).toEqual([503, 'store_unavailable']);
  expect(refused.headers.get('retry-after')).toBe('1');
  const token = await poll(api, device_code);
  expect([token.status, token.body.error]).toEqual([503, 'temporarily_unavailable']);
  const { body } = await api.call('/v1/devices', { key: person.session });
  expect(body.devices.find((device: { device_id: string }) => device.device_id === device_id)).toMatchObject({
    status: 'active',
  });
});

test('without MongoDB a valid session is a 503, not a 401, and every step of linking is a store error', async () => {
  const { device_id } = await linkDevice(api, person);
  const { user_code, device_code } = await startLink(api);
  await mongo.stop();
  const answers = await Promise.all([
    api.call('/v1/devices', { key: person.session }),
    revoke(api, person, device_id),
    approve(api, person, user_code),
    poll(api, device_code),
    api.call('/v1/device_authorization', { body: {} }),
  ]);
  // The last one creates: once it has begun, it does not claim that nothing was written.
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 504]);
  expect((await api.call('/v1/devices', { key: 'garbage' })).status).toBe(401);
});
