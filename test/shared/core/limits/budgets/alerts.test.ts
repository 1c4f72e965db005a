import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { queuedDeliveryRows } from '../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { createWebhook } from '../../../../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { webhookRows } from '../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { updateWebhook } from '../../../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import type { WebhookInput } from '../../../../../shared/core/events/webhooks/endpoints/view.ts';
import {
  changeBudget,
  createBudget,
  removeBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetAlertRows, budgetFiringRows } from '../../../../../shared/core/limits/budgets/rules/fired.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import { budgetRows } from '../../../../../shared/core/limits/budgets/rules/model.ts';
import { addMember } from '../../../../../shared/people/members.ts';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { evaluateBudgets } from '../../../../../workers/index.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import {
  createTestClock,
  openTestContext,
  type TestClock,
  type TestContext,
} from '../../../../support/harness.ts';
import { standingStillAfter } from '../../../../support/interleave.ts';
import { readEvents, SECRET, type StoredEvent } from '../../../../support/webhooks.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const HOUR = 3_600_000;
const DAY_START = Date.UTC(2026, 10, 18);
let ctx: TestContext;
let other: TestContext;
let clock: TestClock;
beforeAll(async () => {
  clock = createTestClock(NOW);
  ctx = await openTestContext({ clock });
  other = await openTestContext({ clock, sharing: ctx });
});
afterAll(async () => {
  await other.close();
  await ctx.close();
});

const base: BudgetInput = {
  name: 'Day',
  scope: 'org',
  metric: 'signals',
  threshold: 100,
  window: 'daily',
  timezone: 'UTC',
};

async function tenantWith(settings: Partial<WebhookInput>[], atMs = NOW) {
  clock.set(atMs);
  const { orgId } = await makeTenant(ctx);
  const budget = await createBudget(ctx, orgId, base);
  const webhooks: string[] = [];
  for (const each of settings) {
    const input = { url: 'http://127.0.0.1:9/', events: [], secret: SECRET, ...each };
    webhooks.push((await createWebhook(ctx, orgId, input))._id);
  }
  return { orgId, budget, webhooks };
}

async function use(orgId: string, count: number): Promise<void> {
  await recordSignals(
    ctx,
    senderOf(orgId),
    Array.from({ length: count }, () => makeSignal({ ts: clock.now() })),
  );
}

async function alertsOf(orgId: string): Promise<StoredEvent[]> {
  const events = await readEvents(ctx, orgId);
  return events.filter(({ type }) => type === 'budget.threshold' || type === 'budget.forecast');
}

const percents = (events: StoredEvent[]) => events.map(({ data }) => data.alert_at);

describe('alert_at', () => {
  test('tells the webhook that asked, of each per cent once in a window, however often it is evaluated', async () => {
    const { orgId, budget, webhooks } = await tenantWith([
      { alert_at: [50, 10, 120] },
      { events: ['session.ended'] },
    ]);
    await use(orgId, 49);
    await evaluateDue(ctx, orgId);
    expect(percents(await alertsOf(orgId))).toEqual([10]);
    await use(orgId, 1);
    await Promise.all([evaluateDue(ctx, orgId), evaluateDue(other, orgId)]);
    await use(orgId, 69);
    await evaluateDue(ctx, orgId);
    expect(new Set(percents(await alertsOf(orgId)))).toEqual(new Set([10, 50]));
    await use(orgId, 1);
    await evaluateDue(other, orgId);
    const events = await alertsOf(orgId);
    expect(events).toHaveLength(3);
    expect(new Set(percents(events))).toEqual(new Set([10, 50, 120]));
    expect(events.find(({ data }) => data.alert_at === 50)?.data).toEqual({
      budget_id: budget._id,
      budget_name: 'Day',
      scope: 'org',
      scope_id: orgId,
      threshold: 100,
      current: 50,
      window: 'daily',
      metric: 'signals',
      alert_at: 50,
    });
    const deliveries = await queuedDeliveryRows(ctx).find({ org_id: orgId }).toArray();
    expect(deliveries.map(({ webhook_id }) => webhook_id)).toEqual(events.map(() => webhooks[0]));
  });

  test('tells again in the next window, and not after a change of the threshold in the same one', async () => {
    const { orgId, budget } = await tenantWith([{ alert_at: [50] }]);
    await use(orgId, 60);
    await evaluateDue(ctx, orgId);
    await changeBudget(ctx, orgId, budget._id, { threshold: 110 });
    await use(orgId, 1);
    await evaluateDue(ctx, orgId);
    expect(await alertsOf(orgId)).toHaveLength(1);
    clock.advance(24 * HOUR);
    await use(orgId, 60);
    await evaluateDue(ctx, orgId);
    expect(await alertsOf(orgId)).toHaveLength(2);
  });

  test('tells each webhook for itself, and one that asks later what the open window has reached', async () => {
    const { orgId, webhooks } = await tenantWith([{ alert_at: [50] }, { forecast: true }]);
    await use(orgId, 60);
    await evaluateDue(ctx, orgId);
    await updateWebhook(ctx, orgId, webhooks[1] ?? '', { alert_at: [60] });
    await use(orgId, 1);
    await evaluateDue(ctx, orgId);
    const rows = await budgetAlertRows(ctx).find({ org_id: orgId }).toArray();
    const told = rows.map(({ webhook_id, about }) => [webhooks.indexOf(webhook_id), about]);
    expect(new Set(told.map((each) => each.join(' ')))).toEqual(new Set(['0 50', '1 60', '1 forecast']));
    expect(told).toHaveLength(3);
  });

  test('tells in one evaluation also more than one transaction takes', async () => {
    const alert_at = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const { orgId } = await tenantWith(Array.from({ length: 26 }, () => ({ alert_at })));
    await createBudget(ctx, orgId, base);
    await use(orgId, 10);
    expect(await evaluateDue(ctx, orgId)).toBe(520);
    expect(await budgetAlertRows(ctx).countDocuments({ org_id: orgId })).toBe(520);
    expect(await dueRows(ctx).countDocuments({ org_id: orgId, kind: 'evaluate-budgets' })).toBe(0);
  });

  test('does not tell who asks now of a window that is over', async () => {
    const { orgId } = await tenantWith([]);
    await use(orgId, 60);
    clock.advance(24 * HOUR);
    await createWebhook(ctx, orgId, {
      url: 'http://127.0.0.1:9/',
      events: [],
      secret: SECRET,
      alert_at: [50],
    });
    const late = [makeSignal({ ts: NOW })];
    await recordSignals(ctx, senderOf(orgId), late);
    await evaluateDue(ctx, orgId);
    expect(await alertsOf(orgId)).toEqual([]);
  });
});

describe('a per cent of a window that is over', () => {
  const late = (orgId: string, user_id: string, count: number) =>
    recordSignals(
      ctx,
      senderOf(orgId),
      Array.from({ length: count }, () => makeSignal({ ts: NOW, user_id })),
    );

  test('is told when late signals reach it, also after a new name', async () => {
    const { orgId, budget } = await tenantWith([{ alert_at: [50] }]);
    clock.advance(24 * HOUR);
    await changeBudget(ctx, orgId, budget._id, { name: 'Renamed' });
    await late(orgId, 'ada', 50);
    await evaluateDue(ctx, orgId);
    expect(percents(await alertsOf(orgId))).toEqual([50]);
  });

  test('is told also after its webhook was saved with the same alerts', async () => {
    const { orgId, webhooks } = await tenantWith([{ alert_at: [50] }]);
    clock.advance(24 * HOUR);
    const quiet_hours = { from: '22:00', to: '07:00', timezone: 'UTC' };
    await updateWebhook(ctx, orgId, webhooks[0] ?? '', { alert_at: [50], forecast: false, quiet_hours });
    await late(orgId, 'ada', 50);
    await evaluateDue(ctx, orgId);
    expect(percents(await alertsOf(orgId))).toEqual([50]);
  });

  test.each([{ forecast: true }, { forecast: false }])(
    'is told also after its webhook changed to %j, which is about open windows',
    async (change) => {
      const { orgId, webhooks } = await tenantWith([{ alert_at: [50], forecast: !change.forecast }]);
      clock.advance(24 * HOUR);
      await updateWebhook(ctx, orgId, webhooks[0] ?? '', change);
      await late(orgId, 'ada', 50);
      await evaluateDue(ctx, orgId);
      expect((await alertsOf(orgId)).map(({ type, data }) => [type, data.alert_at])).toEqual([
        ['budget.threshold', 50],
      ]);
    },
  );

  test('is not told to a webhook that asked for it later', async () => {
    const { orgId, webhooks } = await tenantWith([{ alert_at: [40] }]);
    clock.advance(24 * HOUR);
    await updateWebhook(ctx, orgId, webhooks[0] ?? '', { alert_at: [50] });
    await late(orgId, 'ada', 50);
    await evaluateDue(ctx, orgId);
    expect(await alertsOf(orgId)).toEqual([]);
  });

  test('is not told when somebody joins the team who had used it', async () => {
    const { orgId } = await tenantWith([{ alert_at: [50] }]);
    const person = { org_id: orgId, email: 'a@e.org', role: 'member' } as const;
    await addMember(ctx, { ...person, user_id: 'ada', teams: ['red'] });
    await createBudget(ctx, orgId, { ...base, scope: 'team', scope_id: 'red', threshold: 20 });
    await late(orgId, 'bob', 19);
    clock.advance(24 * HOUR);
    await addMember(ctx, { ...person, user_id: 'bob', email: 'b@e.org', teams: ['red'] });
    await late(orgId, 'ada', 1);
    await evaluateDue(ctx, orgId);
    expect(await alertsOf(orgId)).toEqual([]);
  });
});

describe('forecast', () => {
  const BEFORE = DAY_START + 4 * HOUR;
  const FIFTH = DAY_START + 4.8 * HOUR;

  test('is told once, when the pace so far passes the limit after a fifth of the window', async () => {
    const { orgId } = await tenantWith([{ forecast: true }], FIFTH);
    await use(orgId, 20);
    await evaluateDue(ctx, orgId);
    expect(await alertsOf(orgId)).toEqual([]);
    await use(orgId, 1);
    await evaluateDue(ctx, orgId);
    await use(orgId, 1);
    await evaluateDue(ctx, orgId);
    const events = await alertsOf(orgId);
    expect(events.map(({ type, data }) => [type, data.current, data.forecast])).toEqual([
      ['budget.forecast', 21, 105],
    ]);
  });

  test('is told at a fifth of the window although nothing is used then', async () => {
    const { orgId } = await tenantWith([{ forecast: true }], BEFORE);
    await use(orgId, 30);
    await evaluateDue(ctx, orgId);
    expect(await alertsOf(orgId)).toEqual([]);
    const dueTimes = async () => {
      const rows = await dueRows(ctx).find({ org_id: orgId, kind: evaluateBudgets.kind }).toArray();
      return rows.map(({ due_at }) => due_at.getTime());
    };
    expect(await dueTimes()).toEqual([FIFTH]);
    await use(orgId, 1);
    await evaluateDue(ctx, orgId);
    expect(await dueTimes()).toEqual([FIFTH]);
    clock.set(FIFTH);
    await evaluateBudgets.handle({ key: orgId }, ctx);
    expect(await alertsOf(orgId)).toHaveLength(1);
    expect(await dueTimes()).toEqual([]);
  });

  test('is not told to who did not ask', async () => {
    const { orgId } = await tenantWith([{ events: ['budget.exceeded'], alert_at: [900] }], FIFTH);
    await use(orgId, 90);
    await evaluateDue(ctx, orgId);
    expect(await alertsOf(orgId)).toEqual([]);
  });
});

describe.each([
  { when: 'between its evaluation and its alerts', of: webhookRows },
  { when: 'while it sends alerts', of: budgetAlertRows },
])('a worker that stands still $when', ({ of }) => {
  test('writes neither an event nor a row for a budget that was removed meanwhile', async () => {
    const { orgId, budget } = await tenantWith([{ alert_at: [50] }]);
    await use(orgId, 60);
    const remove = () => removeBudget(ctx, orgId, budget._id);
    await evaluateDue(standingStillAfter(ctx, of, remove), orgId);
    expect(await alertsOf(orgId)).toEqual([]);
    expect(await budgetAlertRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
  });

  test('decides by a limit that was raised meanwhile, and sends the alert once that is reached', async () => {
    const { orgId, budget } = await tenantWith([{ alert_at: [50] }]);
    await use(orgId, 60);
    const raiseLimit = () => changeBudget(ctx, orgId, budget._id, { threshold: 200 });
    expect(await evaluateDue(standingStillAfter(ctx, of, raiseLimit), orgId)).toBe(0);
    expect(await alertsOf(orgId)).toEqual([]);
    await use(orgId, 40);
    await evaluateDue(ctx, orgId);
    expect((await alertsOf(orgId)).map(({ data }) => [data.current, data.threshold])).toEqual([[100, 200]]);
  });
});

test('a worker that stands still after it has read a budget fires no level once that is removed', async () => {
  const { orgId, budget } = await tenantWith([{ events: ['budget.warning', 'budget.exceeded'] }]);
  await use(orgId, 100);
  const remove = () => removeBudget(ctx, orgId, budget._id);
  expect(await evaluateDue(standingStillAfter(ctx, budgetRows, remove), orgId)).toBe(0);
  expect(await budgetFiringRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
  expect(await readEvents(ctx, orgId)).toEqual([]);
});
