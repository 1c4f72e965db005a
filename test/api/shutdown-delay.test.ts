import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/drills/child.ts';
import { fixture } from '../support/fixture.ts';

const { env, key } = await fixture();

test('a process that ends goes on serving for SHUTDOWN_DELAY_S, and says meanwhile that it is not ready', async () => {
  const api = await startChild('api/main.ts', { ...env, SHUTDOWN_DELAY_S: '300' });
  onTestFinished(() => api.kill());
  api.process.kill('SIGTERM');
  const ask = (path: string) => fetch(api.url + path, { headers: { Authorization: `Bearer ${key}` } });
  await expect.poll(async () => (await ask('/readyz')).status).toBe(503);
  expect((await ask('/api/v1/budgets')).status).toBe(200);
});
