import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openEntryWait } from '../../workers/project-ledger.ts';
import { makeAccount, projectAll, spendOnce } from '../support/credits.ts';
import { storesFixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';

const FOR_EVER = 0;

const { ctx, redis } = await storesFixture({ redis: true });

test('a spend ends the wait for it, also one that came before the wait', async () => {
  const account = await makeAccount(ctx);
  await projectAll(ctx);
  const entries = openEntryWait(ctx);
  await until(() => entries.wait(1));
  const waited = entries.wait(FOR_EVER);
  await spendOnce(ctx, account.token, { key: randomUUID() });
  expect(await waited).toBe(true);
  expect(await entries.wait(FOR_EVER)).toBe(true);
  entries.stop();
});

test('the wait ends with Redis, and begins again with it', async () => {
  await projectAll(ctx);
  const entries = openEntryWait(ctx);
  await until(() => entries.wait(1));
  const waited = entries.wait(FOR_EVER);
  await redis.kill();
  expect(await waited).toBe(false);
  expect(await entries.wait(FOR_EVER)).toBe(false);
  await redis.start();
  await until(() => entries.wait(1));
  entries.stop();
});
