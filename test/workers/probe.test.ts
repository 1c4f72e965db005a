import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { answerProbe } from '../../workers/probe.ts';
import { openTestContext } from '../support/harness.ts';

it('tells which store is away to whoever reads the metrics of a worker alone', async () => {
  const ctx = await openTestContext({ redisUrl: 'redis://127.0.0.1:1' });
  const probe = createServer((req, res) => void answerProbe(ctx, req, res)).listen(0, '127.0.0.1');
  const { port } = await new Promise<AddressInfo>((resolve) =>
    probe.once('listening', () => resolve(probe.address() as AddressInfo)),
  );
  const headers = { Authorization: `Bearer ${ctx.config.operatorToken}` };
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
  expect(text).toContain('governor_ready{part="mongo"} 1\ngovernor_ready{part="redis"} 0');
  probe.close();
  await ctx.close();
});
