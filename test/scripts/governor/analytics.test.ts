import { expect, test } from 'vitest';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';

const DAY_MS = 86_400_000;
const { ask, ctx, orgId, record, env } = await fixture();
const { governor } = commandLine(env);

test('analytics freeze freezes what ended a day ago or earlier, once', async () => {
  const trend = async (): Promise<{ pending?: boolean; active_users?: number }[]> =>
    (await ask(`/api/v1/org/${orgId}/analytics`)).trend;
  const ts = ctx.clock.now() - 14 * DAY_MS;
  await record(...Array.from({ length: 6 }, (_, user) => ({ ts, user_id: `u${user}` })));
  expect((await trend()).every(({ pending }) => pending)).toBe(true);
  const first = await governor('analytics', 'freeze', orgId);
  expect(first.frozen).toBeGreaterThan(3);
  expect((await trend()).filter(({ active_users }) => active_users === 6)).toHaveLength(1);
  expect(await governor('analytics', 'freeze', orgId)).toEqual({ frozen: 0, restated: 0 });
});
