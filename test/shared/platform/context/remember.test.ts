import { afterAll, beforeAll, expect, test } from 'vitest';
import { rememberedFrom } from '../../../../shared/platform/context/remember.ts';
import { openTestContext, type TestContext, until } from '../../../support/harness.ts';

let ctx: TestContext;
beforeAll(async () => {
  ctx = await openTestContext();
});
afterAll(() => ctx.close());

test('what is large or not known yet makes nothing else old while its read does not end', async () => {
  const stuck = new Set(['new']);
  const memory = rememberedFrom(
    'test',
    async (_ctx, known) => {
      for (const key of known.keys()) if (stuck.has(key)) await new Promise(() => undefined);
      return new Map([...known.keys()].map((key) => [key, key]));
    },
    { max: 10, isSmall: (key) => key === 'small' },
  )(ctx);
  await Promise.all([memory.recall('small', 0), memory.recall('large', 0)]);
  stuck.add('large');
  await expect(memory.recall('new', 0)).rejects.toThrow('longer');
  await until(async () => (await memory.recall('large', 0))?.isFresh === false);
  expect(await memory.recall('small', 5_000)).toEqual({ value: 'small', isFresh: true });
});
