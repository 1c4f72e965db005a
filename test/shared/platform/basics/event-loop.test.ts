import { spawnSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMetrics, type Metrics } from '../../../../shared/platform/basics/metrics.ts';

const METRICS = new URL('../../../../shared/platform/basics/metrics.ts', import.meta.url);

async function readLongestTurn({ registry }: Metrics): Promise<number> {
  const text = await registry.metrics();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]);
}

function holdFor(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

test('a turn of the event loop is told once, and all of it', async () => {
  const metrics = createMetrics({ defaults: true });
  await setImmediate();
  holdFor(60);
  await setImmediate();
  await setImmediate();
  expect(await readLongestTurn(metrics)).toBeGreaterThanOrEqual(0.06);
  expect(await readLongestTurn(metrics)).toBeLessThan(0.06);
});

test('metrics do not wake a process that waits', () => {
  const waits = `
    const { createMetrics } = await import(${JSON.stringify(METRICS.href)});
    createMetrics({ defaults: true });
    const turns = () => performance.nodeTiming.uvMetricsInfo.loopCount;
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = turns();
    await new Promise((resolve) => setTimeout(resolve, 500));
    console.log(turns() - before);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', waits], {
    encoding: 'utf8',
  });
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(15);
});
