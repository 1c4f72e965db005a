import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { readConfig } from '../../../../shared/platform/basics/config.ts';
import { connectRedis, logOutages } from '../../../../shared/platform/redis/connect.ts';
import { startOwnRedis } from '../../../support/credits.ts';
import { openKeptLog, testEnv, until } from '../../../support/harness.ts';

test('the log says once per outage why Redis cannot be used, and when it can be again', async () => {
  const own = await startOwnRedis();
  const admin = new Redis(own.url);
  await admin.config('SET', 'requirepass', 'right');
  const client = connectRedis(readConfig(testEnv('unused', { redisUrl: own.url })), 'producer');
  const { log, written } = openKeptLog();
  logOutages(client, 'REDIS_URL', log);
  let failures = 0;
  client.on('error', () => {
    failures += 1;
  });
  await until(() => failures > 2);
  expect(written()).toContain('NOAUTH');
  expect(written().match(/the Redis of REDIS_URL cannot be used/g)).toHaveLength(1);
  await admin.config('SET', 'requirepass', '');
  await until(() => written().includes('can be used again'));
  client.disconnect();
  admin.disconnect();
  await own.stop();
});
