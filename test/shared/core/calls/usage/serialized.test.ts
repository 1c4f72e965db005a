import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { serialized } from '../../../../../shared/core/calls/usage/serialized.ts';
import { createBatcher } from '../../../../../shared/platform/context/batcher.ts';
import type { Context } from '../../../../../shared/platform/context/context.ts';

afterEach(() => vi.restoreAllMocks());

test('a question that has waited until nobody waits for it is not read, and the next one is', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const ctx = { batcher: createBatcher() } as unknown as Context;
  const read: string[] = [];
  const ask = (name: string, until?: Promise<void>) =>
    serialized(ctx, 'org', async () => {
      read.push(name);
      await until;
      return name;
    }).catch((error: unknown) => error);
  const long = Promise.withResolvers<void>();
  const answers = [ask('long', long.promise), ask('late')];
  await nextTurn();
  nowMs = 5_000;
  answers.push(ask('in time'));
  nowMs = 20_000;
  long.resolve();
  expect(await Promise.all(answers)).toEqual([
    'long',
    expect.objectContaining({ code: 'overloaded' }),
    'in time',
  ]);
  expect(read).toEqual(['long', 'in time']);
});
