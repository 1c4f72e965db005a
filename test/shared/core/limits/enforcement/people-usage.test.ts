import { beforeEach, expect, test } from 'vitest';
import {
  type BudgetStatus,
  openBudgetsOf,
} from '../../../../../shared/core/limits/enforcement/state/budget-status.ts';
import { refreshStatuses } from '../../../../../shared/core/limits/enforcement/state/refresh-status.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { currentShard, moveToOtherShard } from '../../../../../shared/platform/mongo/counter-shards.ts';
import { storesFixture } from '../../../../support/fixture.ts';

const own = await storesFixture({ perTest: true });
const { ctx } = own;
/** The status that was read last: the next read reads only what has changed since. */
let known: BudgetStatus | null;
beforeEach(() => {
  known = null;
});

const makeTemplate = (team?: string) =>
  own.budget({
    ...(team === undefined ? {} : { scope: 'team', scope_id: team }),
    per: 'user',
    metric: 'signals',
    threshold: 5,
    window: 'monthly',
    enforce: 'hard',
  });
const use = (userIds: readonly string[]) =>
  own.record(...userIds.map((user_id) => ({ user_id, ts: ctx.clock.now() })));

/** Reads again, and returns what each of these people has used of each budget that counts them. */
async function used(...userIds: string[]): Promise<number[][]> {
  const { orgId } = own;
  known = (await refreshStatuses(ctx, new Map([[orgId, known]]))).get(orgId) ?? null;
  return userIds.map((userId) =>
    known === null
      ? []
      : openBudgetsOf(known, { orgId, userId, projectId: 'x' }, ctx.clock.now()).map((open) => open.current),
  );
}

test('a person who joins a team brings what was used before', async () => {
  await own.member('ada', { teams: ['red'] });
  await own.member('bob');
  await makeTemplate('red');
  await use(['ada', 'bob', 'bob']);
  expect(await used('ada', 'bob')).toEqual([[1], []]);
  await changeMember(ctx, own.orgId, 'bob', { teams: ['red'] });
  expect(await used('ada', 'bob')).toEqual([[1], [2]]);
});

test('the usage of a person is the sum of what several processes have counted', async () => {
  await makeTemplate();
  const before = currentShard();
  await use(['ada', 'ada']);
  expect(await used('ada')).toEqual([[2]]);
  while (currentShard() === before) moveToOtherShard();
  await use(['ada']);
  expect(await used('ada', 'bob')).toEqual([[3], [0]]);
});

test('nobody is missed when many people have used something at once', async () => {
  await makeTemplate();
  await use(['ada']);
  expect(await used('ada')).toEqual([[1]]);
  const many = Array.from({ length: 501 }, (_, at) => `u${at}`);
  await use(many);
  expect(await used('ada', ...many)).toEqual([[1], ...many.map(() => [1])]);
});
