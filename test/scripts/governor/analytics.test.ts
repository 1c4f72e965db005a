import { expect, test } from 'vitest';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';

const DAY_MS = 86_400_000;
const { api, ctx, orgId, key, record, env } = await fixture();
const { governor, failure } = commandLine(env);

test('analytics freeze freezes what ended a day ago or earlier, once; k-population says who counts', async () => {
  const trend = async () => {
    const answer = await api.call(`/api/v1/org/${orgId}/analytics`, { key });
    return answer.body.trend as { pending?: boolean; active_users?: number }[];
  };
  const ts = ctx.clock.now() - 14 * DAY_MS;
  await record(...Array.from({ length: 6 }, (_, user) => ({ ts, user_id: `u${user}` })));
  expect((await trend()).every(({ pending }) => pending)).toBe(true);
  const first = await governor('analytics', 'freeze', orgId);
  expect(first.frozen).toBeGreaterThan(3);
  expect((await trend()).filter(({ active_users }) => active_users === 6)).toHaveLength(1);
  expect(await governor('analytics', 'freeze', orgId)).toEqual({ frozen: 0, restated: 0 });
  const changed = await governor('org', 'set', orgId, '--k-population', 'members');
  expect(changed.k_population).toBe('members');
  expect((await failure('org', 'set', orgId, '--k-population', 'ghosts')).stderr).toContain(
    'reported, members',
  );
});
