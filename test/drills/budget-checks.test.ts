import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type RunningStore, startMongo, startRedis } from '../../packages/stack/stores.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { startApi, type TestApi, until } from '../support/harness.ts';

let folder: string;
let mongo: RunningStore;
let redis: RunningStore;
let api: TestApi;
let key: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'usage-governor-checks-'));
  mongo = await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo'), fast: true });
  redis = await startRedis({ port: await findFreePort(), dir: join(folder, 'redis'), fast: true });
  api = await startApi({ mongoUrl: mongo.url, redisUrl: redis.url });
  ({ key } = await makeTenant(api.ctx));
});
afterEach(async () => {
  for (const { child } of [mongo, redis]) child.kill('SIGCONT');
  await api.close();
  await Promise.all([mongo.stop(), redis.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const budget = async (fields: object) => {
  const whole = { scope: 'user', metric: 'signals', threshold: 1, window: 'monthly', ...fields };
  expect((await api.call('/api/v1/budgets', { key, body: whole })).status).toBe(201);
};
const check = async (user_id: string) => api.call('/api/v1/budgets/check', { key, body: { user_id } });

test.each(['SIGSTOP', 'SIGKILL'] as const)(
  'after a %s of MongoDB on_error decides, one that denies is enough, and what is not hard refuses nothing',
  async (signal) => {
    await budget({ name: 'allows', scope_id: 'ada', enforce: 'hard' });
    await budget({ name: 'denies', scope_id: 'ada', enforce: 'hard', on_error: 'deny' });
    await budget({ name: 'allows', scope_id: 'bob', enforce: 'hard', on_error: 'allow' });
    await budget({ name: 'soft', scope_id: 'eve', enforce: 'soft', on_error: 'deny' });
    const signals = ['bob', 'eve'].map((user_id) => makeSignal({ ts: Date.now(), user_id }));
    await api.call('/api/v1/signals', { key, body: { signals } });
    await until(async () => (await check('bob')).body.allow === false);
    expect((await check('ada')).body.allow).toBe(true);
    mongo.child.kill(signal);
    const denied = await until(async () => {
      const { status, body } = await check('ada');
      expect(status).toBe(200);
      return body.allow ? null : body;
    });
    expect(denied.reason).toContain('"denies"');
    expect(denied.budgets).toMatchObject([{ name: 'allows' }, { name: 'denies', remaining: 1 }]);
    expect((await check('bob')).body).toMatchObject({
      allow: true,
      reason: null,
      budgets: [{ remaining: 0 }],
    });
    expect((await check('eve')).body).toMatchObject({ allow: true, reason: null });
    if (signal === 'SIGKILL') return;
    mongo.child.kill('SIGCONT');
    await until(async () => (await check('ada')).body.allow === true);
    await until(async () => (await check('bob')).body.allow === false);
  },
);

test.each(['SIGSTOP', 'SIGKILL'] as const)(
  'after a %s of Redis on_error decides where amounts are reserved, and nothing is reserved',
  async (signal) => {
    const cost = { metric: 'cost_usd', threshold: 10, enforce: 'hard', on_error: 'deny' };
    await budget({ name: 'reserved in', scope_id: 'ada', ...cost });
    await budget({ name: 'counted', scope_id: 'bob', enforce: 'hard', on_error: 'deny' });
    const reserve = () =>
      api.call('/api/v1/budgets/reserve', { key, body: { user_id: 'ada', estimate_usd: 1, ttl_s: 60 } });
    await until(async () => (await check('ada')).body.budgets.length === 1);
    expect((await reserve()).body.allow).toBe(true);
    redis.child.kill(signal);
    const denied = await until(async () => {
      const { body } = await check('ada');
      return body.allow ? null : body;
    });
    expect(denied.reason).toContain('"reserved in"');
    expect((await check('bob')).body).toMatchObject({ allow: true });
    expect([503, 504]).toContain((await reserve()).status);
    if (signal === 'SIGKILL') return;
    redis.child.kill('SIGCONT');
    await until(async () => (await check('ada')).body.allow === true);
    await until(async () => (await reserve()).body.allow === true);
  },
);

test('nothing is reserved while MongoDB does not answer, whatever on_error says', async () => {
  await budget({ name: 'B', scope_id: 'ada', metric: 'cost_usd', threshold: 10, enforce: 'hard' });
  const reserve = () =>
    api.call('/api/v1/budgets/reserve', { key, body: { user_id: 'ada', estimate_usd: 1, ttl_s: 60 } });
  await until(async () => (await check('ada')).body.budgets.length === 1);
  expect((await reserve()).body.allow).toBe(true);
  mongo.child.kill('SIGSTOP');
  await until(async () => (await reserve()).status === 503);
  expect((await check('ada')).body.allow).toBe(true);
  mongo.child.kill('SIGCONT');
  await until(async () => (await reserve()).status === 200);
});
