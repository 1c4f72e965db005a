import { beforeEach, expect, test } from 'vitest';
import { createBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import {
  type BudgetStatus,
  openBudgetsOf,
} from '../../../../../shared/core/limits/enforcement/state/budget-status.ts';
import { refreshStatuses } from '../../../../../shared/core/limits/enforcement/state/refresh-status.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { addMember } from '../../../../../shared/people/members.ts';
import { currentShard, moveToOtherShard } from '../../../../../shared/platform/mongo/counter-shards.ts';
import { makeTenant } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { recordAll } from '../../../../support/usage.ts';

const { ctx } = await storesFixture();
let orgId: string;
/** The status that was read last: the next read reads only what has changed since. */
let known: BudgetStatus | null;
beforeEach(async () => {
  known = null;
  ({ orgId } = await makeTenant(ctx));
});

async function makeTemplate(scope: { scope: 'org' } | { scope: 'team'; scope_id: string }): Promise<void> {
  const each = { name: 'Each', per: 'user' as const, metric: 'signals' as const, threshold: 5 };
  await createBudget(ctx, orgId, { ...each, ...scope, window: 'monthly', enforce: 'hard' });
}

async function use(userIds: readonly string[]): Promise<void> {
  await recordAll(
    ctx,
    orgId,
    userIds.map((user_id) => ({ user_id, ts: ctx.clock.now() })),
  );
}

/** Reads again, and returns what each of these people has used of each budget that counts them. */
async function used(...userIds: string[]): Promise<number[][]> {
  known = (await refreshStatuses(ctx, new Map([[orgId, known]]))).get(orgId) ?? null;
  return userIds.map((userId) =>
    known === null
      ? []
      : openBudgetsOf(known, { orgId, userId, projectId: 'x' }, ctx.clock.now()).map((open) => open.current),
  );
}

test('a person who joins a team brings what was used before', async () => {
  const member = { org_id: orgId, user_id: 'ada', email: 'a@e.org', role: 'member' as const };
  await addMember(ctx, { ...member, teams: ['red'] });
  await addMember(ctx, { ...member, user_id: 'bob', email: 'b@e.org', teams: [] });
  await makeTemplate({ scope: 'team', scope_id: 'red' });
  await use(['ada', 'bob', 'bob']);
  expect(await used('ada', 'bob')).toEqual([[1], []]);
  await changeMember(ctx, orgId, 'bob', { teams: ['red'] });
  expect(await used('ada', 'bob')).toEqual([[1], [2]]);
});

test('the usage of a person is the sum of what several processes have counted', async () => {
  await makeTemplate({ scope: 'org' });
  const before = currentShard();
  await use(['ada', 'ada']);
  expect(await used('ada')).toEqual([[2]]);
  while (currentShard() === before) moveToOtherShard();
  await use(['ada']);
  expect(await used('ada', 'bob')).toEqual([[3], [0]]);
});

test('nobody is missed when many people have used something at once', async () => {
  await makeTemplate({ scope: 'org' });
  await use(['ada']);
  expect(await used('ada')).toEqual([[1]]);
  const many = Array.from({ length: 501 }, (_, at) => `u${at}`);
  await use(many);
  expect(await used('ada', ...many)).toEqual([[1], ...many.map(() => [1])]);
});
