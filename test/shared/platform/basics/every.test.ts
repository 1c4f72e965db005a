import { expect, test } from 'vitest';
import { every } from '../../../../shared/platform/basics/every.ts';
import { until } from '../../../support/harness.ts';

test('turns that come while the work runs are left out, and what runs is waited for', async () => {
  const ends: (() => void)[] = [];
  let ended = 0;
  const stop = every(1, async () => {
    await new Promise<void>((resolve) => {
      ends.push(resolve);
    });
    ended += 1;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await until(() => ends.length === 2);
  const stopped = stop();
  ends[1]?.();
  await stopped;
  expect([ends.length, ended]).toEqual([2, 2]);
});
