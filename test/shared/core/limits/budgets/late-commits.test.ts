import { expect, test } from 'vitest';
import { guardOrganizationRules } from '../../../../../shared/core/accounts/organizations/versions.ts';
import { incrementsOf } from '../../../../../shared/core/limits/budgets/count/plan-windows.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import {
  changedAfter,
  NOTHING_SEEN,
  noCounts,
  personWindowRows,
  seenAfter,
} from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { counterKey } from '../../../../../shared/core/limits/budgets/rules/keys.ts';
import { planEvaluation } from '../../../../../shared/core/limits/budgets/rules/plan-evaluation.ts';
import { windowAt } from '../../../../../shared/core/limits/budgets/rules/windows.ts';
import {
  type BudgetStatus,
  openBudgetsOf,
} from '../../../../../shared/core/limits/enforcement/state/budget-status.ts';
import { refreshStatuses } from '../../../../../shared/core/limits/enforcement/state/refresh-status.ts';
import { ALL_COUNTER_SHARDS, currentShard } from '../../../../../shared/platform/mongo/counter-shards.ts';
import { inTransaction } from '../../../../../shared/platform/mongo/transaction.ts';
import { applyWrites } from '../../../../../shared/platform/mongo/writes.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { use } from '../../../../support/usage.ts';
import { subscribe } from '../../../../support/webhooks.ts';

const { ctx, tenant } = await storesFixture();

/** A template of five calls per person, and a webhook that hears of it. */
async function makeTemplate() {
  const { orgId, budget: make } = await tenant();
  await subscribe(ctx, orgId, { events: ['budget.warning', 'budget.exceeded'] });
  const each = { per: 'user', metric: 'signals', threshold: 5, window: 'monthly', enforce: 'hard' } as const;
  const budget = await make(each);
  const stampOf = async (person: string) => {
    const rows = await personWindowRows(ctx).find({ org_id: orgId, person }).toArray();
    return Math.max(...rows.map(({ updated_at }) => updated_at.getTime()));
  };
  const spend = (user_id: string, count: number) => use(ctx, orgId, count, { user_id });
  return { orgId, budget, use: spend, stampOf };
}

/** A transaction of another process that has counted five calls of ada, and commits when it is told to. */
async function countSlowly({ orgId, budget }: Awaited<ReturnType<typeof makeTemplate>>) {
  const shard = ALL_COUNTER_SHARDS.find((other) => other !== currentShard()) ?? 0;
  const nowMs = ctx.clock.now();
  const interval = windowAt(budget, nowMs);
  const usage = { ...noCounts(), signals: 5 };
  const change = { counter: counterKey(budget), person: 'ada', interval, usage, untilMs: interval.endMs };
  const writes = [
    guardOrganizationRules(orgId, shard),
    ...incrementsOf(orgId, [change], shard),
    ...planEvaluation(orgId, { shard, earliestEndMs: interval.endMs, nowMs }).writes,
  ];
  const written = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const committed = inTransaction(ctx.db, async (transaction) => {
    await personWindowRows(ctx).findOne({ _id: 'none' }, { session: transaction });
    await applyWrites(ctx, writes, transaction);
    written.resolve();
    await told.promise;
  });
  await written.promise;
  return async () => {
    told.resolve();
    await committed;
  };
}

test('a check counts a transaction that commits after later ones were read', async () => {
  const made = await makeTemplate();
  await made.use('bob', 1);
  let known: BudgetStatus | null = null;
  const used = async (userId: string) => {
    known = (await refreshStatuses(ctx, new Map([[made.orgId, known]]))).get(made.orgId) ?? null;
    const caller = { orgId: made.orgId, userId, projectId: 'x' };
    return known && openBudgetsOf(known, caller, ctx.clock.now())[0]?.current;
  };
  expect(await used('bob')).toBe(1);
  const commit = await countSlowly(made);
  await made.use('bob', 2);
  expect([await used('ada'), await used('bob')]).toEqual([0, 3]);
  await commit();
  expect(await used('ada')).toBe(5);
  expect(await made.stampOf('ada')).toBeLessThanOrEqual(await made.stampOf('bob'));
});

test('an evaluation looks at a transaction that commits after later ones were evaluated', async () => {
  const made = await makeTemplate();
  await made.use('bob', 1);
  expect(await evaluateDue(ctx, made.orgId)).toBe(0);
  const commit = await countSlowly(made);
  await made.use('bob', 4);
  expect(await evaluateDue(ctx, made.orgId)).toBe(2);
  await commit();
  expect(await evaluateDue(ctx, made.orgId)).toBe(2);
  expect(await made.stampOf('ada')).toBeLessThanOrEqual(await made.stampOf('bob'));
});

test('what was seen is settled a minute after its newest stamp, and until then the overlap is read again', () => {
  const stamped = (ms: number) => [{ updated_at: new Date(ms) }];
  const first = seenAfter(NOTHING_SEEN, stamped(1_000_000), 5);
  expect(first).toEqual({ newestMs: 1_000_000, sinceMs: 5, isSettled: false });
  expect(changedAfter(first)).toEqual({ updated_at: { $gte: new Date(970_000) } });
  expect(seenAfter(first, stamped(1_000_000), 60_004).isSettled).toBe(false);
  const settled = seenAfter(first, stamped(1_000_000), 60_005);
  expect(changedAfter(settled)).toEqual({ updated_at: { $gt: new Date(1_000_000) } });
  expect(seenAfter(settled, [], 70_000)).toEqual(settled);
  expect(seenAfter(settled, stamped(1_000_001), 80_000)).toEqual({
    newestMs: 1_000_001,
    sinceMs: 80_000,
    isSettled: false,
  });
});
