import { beforeEach, describe, expect, test } from 'vitest';
import { queuedDeliveryRows } from '../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { webhookRows } from '../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { updateWebhook } from '../../../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import type { WebhookInput } from '../../../../../shared/core/events/webhooks/endpoints/view.ts';
import {
  changeBudget,
  removeBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetAlertRows, budgetFiringRows } from '../../../../../shared/core/limits/budgets/rules/fired.ts';
import { type Budget, budgetRows } from '../../../../../shared/core/limits/budgets/rules/model.ts';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { evaluateBudgets } from '../../../../../workers/index.ts';
import { processBeside, storesFixture } from '../../../../support/fixture.ts';
import { standingStillAfter } from '../../../../support/interleave.ts';
import { use } from '../../../../support/usage.ts';
import { budgetEventsOf, readEvents, subscribe } from '../../../../support/webhooks.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const HOUR = 3_600_000;
const DAY_START = Date.UTC(2026, 10, 18);
const DAY = { name: 'Day', metric: 'signals', threshold: 100 } as const;
const own = await storesFixture({ clock: NOW, perTest: true });
const { ctx, clock } = own;
const other = await processBeside(ctx);

let orgId: string;
let budget: Budget;
beforeEach(async () => {
  ({ orgId } = own);
  budget = await own.budget(DAY);
});

/** Makes webhooks, and returns their ids. */
async function hooks(...settings: Partial<WebhookInput>[]): Promise<string[]> {
  const ids: string[] = [];
  for (const each of settings) ids.push((await subscribe(ctx, orgId, each))._id);
  return ids;
}

/** Uses so much now, and evaluates. Returns the per cents and the forecasts that are told of it. */
async function spend(count: number, by = ctx, fields: object = {}): Promise<unknown[]> {
  await use(ctx, orgId, count, fields);
  const told = await budgetEventsOf(ctx, orgId, () => evaluateDue(by, orgId));
  const alerts = told.filter(({ level }) => level === 'threshold' || level === 'forecast');
  return alerts.map(({ level, data }) => data.alert_at ?? level);
}

/** The same in a window that is over. */
const spendLate = (count: number) => spend(count, ctx, { ts: NOW });

describe('alert_at', () => {
  test('tells the webhook that asked, of each per cent once in a window, however often it is evaluated', async () => {
    const [asking] = await hooks({ alert_at: [50, 10, 120] }, { events: ['session.ended'] });
    expect(await spend(49)).toEqual([10]);
    await use(ctx, orgId, 1);
    await Promise.all([evaluateDue(ctx, orgId), evaluateDue(other, orgId)]);
    expect(await spend(69)).toEqual([]);
    expect(await spend(1, other)).toEqual([120]);
    const told = (await readEvents(ctx, orgId)).map(({ data }) => data);
    expect(told.map(({ alert_at }) => alert_at)).toEqual([10, 50, 120]);
    const of = { budget_id: budget._id, budget_name: 'Day', scope: 'org', scope_id: orgId };
    const limit = { threshold: 100, window: 'daily', metric: 'signals' };
    expect(told).toContainEqual({ ...of, ...limit, current: 50, alert_at: 50 });
    const deliveries = await queuedDeliveryRows(ctx).find({ org_id: orgId }).toArray();
    expect(deliveries.map(({ webhook_id }) => webhook_id)).toEqual([asking, asking, asking]);
  });

  test('tells again in the next window, and not after a change of the threshold in the same one', async () => {
    await hooks({ alert_at: [50] });
    expect(await spend(60)).toEqual([50]);
    await changeBudget(ctx, orgId, budget._id, { threshold: 110 });
    expect(await spend(1)).toEqual([]);
    clock.advance(24 * HOUR);
    expect(await spend(60)).toEqual([50]);
  });

  test('tells each webhook for itself, and one that asks later what the open window has reached', async () => {
    const webhooks = await hooks({ alert_at: [50] }, { forecast: true });
    await spend(60);
    await updateWebhook(ctx, orgId, webhooks[1] ?? '', { alert_at: [60] });
    await spend(1);
    const rows = await budgetAlertRows(ctx).find({ org_id: orgId }).toArray();
    const told = rows.map(({ webhook_id, about }) => `${webhooks.indexOf(webhook_id)} ${about}`);
    expect(told.toSorted()).toEqual(['0 50', '1 60', '1 forecast']);
  });

  test('tells in one evaluation also more than one transaction takes', async () => {
    await hooks(...Array.from({ length: 26 }, () => ({ alert_at: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] })));
    await own.budget(DAY);
    expect(await spend(10)).toHaveLength(520);
    expect(await budgetAlertRows(ctx).countDocuments({ org_id: orgId })).toBe(520);
    expect(await dueRows(ctx).countDocuments({ org_id: orgId, kind: 'evaluate-budgets' })).toBe(0);
  });
});

describe('a per cent of a window that is over', () => {
  test('is told when late signals reach it, also after a new name', async () => {
    await hooks({ alert_at: [50] });
    clock.advance(24 * HOUR);
    await changeBudget(ctx, orgId, budget._id, { name: 'Renamed' });
    expect(await spendLate(50)).toEqual([50]);
  });

  const quiet_hours = { from: '22:00', to: '07:00', timezone: 'UTC' };
  test.each([
    ['was saved with the same alerts', {}, { alert_at: [50], forecast: false, quiet_hours }],
    ['was saved with the same forecasts', { forecast: true }, { alert_at: [50], forecast: true }],
    ['asks for forecasts too, which are about open windows', { forecast: false }, { forecast: true }],
    ['asks for no more forecasts, which are about open windows', { forecast: true }, { forecast: false }],
  ])(
    'is told also after its webhook %s, and it alone where the limit is passed',
    async (_, before, change) => {
      const [webhook = ''] = await hooks({ alert_at: [50], ...before });
      clock.advance(24 * HOUR);
      await updateWebhook(ctx, orgId, webhook, change);
      expect(await spendLate(50)).toEqual([50]);
      expect(await spendLate(60)).toEqual([]);
    },
  );

  test.each([
    ['asked for it later', { alert_at: [40] }],
    ['was made later', null],
  ])('is not told to a webhook that %s', async (_, before) => {
    const [webhook] = before ? await hooks(before) : [];
    await use(ctx, orgId, 49);
    clock.advance(24 * HOUR);
    if (webhook) await updateWebhook(ctx, orgId, webhook, { alert_at: [50] });
    else await hooks({ alert_at: [50] });
    expect(await spendLate(1)).toEqual([]);
  });

  test('is not told when somebody joins the team who had used it', async () => {
    await hooks({ alert_at: [50] });
    await own.member('ada', { teams: ['red'] });
    await own.budget({ ...DAY, scope: 'team', scope_id: 'red', threshold: 20 });
    await use(ctx, orgId, 19, { user_id: 'bob' });
    clock.advance(24 * HOUR);
    await own.member('bob', { teams: ['red'] });
    expect(await spendLate(1)).toEqual([]);
  });
});

describe('forecast', () => {
  const BEFORE = DAY_START + 4 * HOUR;
  const FIFTH = DAY_START + 4.8 * HOUR;

  test('is told once, when the pace so far passes the limit after a fifth of the window', async () => {
    clock.set(FIFTH);
    await hooks({ forecast: true });
    expect(await spend(20)).toEqual([]);
    expect(await spend(1)).toEqual(['forecast']);
    expect(await spend(1)).toEqual([]);
    expect(await readEvents(ctx, orgId)).toMatchObject([{ data: { current: 21, forecast: 105 } }]);
  });

  test('is told at a fifth of the window although nothing is used then', async () => {
    clock.set(BEFORE);
    await hooks({ forecast: true });
    const dueTimes = async () => {
      const rows = await dueRows(ctx).find({ org_id: orgId, kind: evaluateBudgets.kind }).toArray();
      return rows.map(({ due_at }) => due_at.getTime());
    };
    for (const count of [30, 1]) {
      expect([await spend(count), await dueTimes()]).toEqual([[], [FIFTH]]);
    }
    clock.set(FIFTH);
    await evaluateBudgets.handle({ key: orgId }, ctx);
    expect(await readEvents(ctx, orgId)).toMatchObject([{ type: 'budget.forecast' }]);
    expect(await dueTimes()).toEqual([]);
  });

  test('is not told to who did not ask', async () => {
    clock.set(FIFTH);
    await hooks({ events: ['budget.exceeded'], alert_at: [900] });
    expect(await spend(90)).toEqual([]);
  });
});

describe.each([
  { when: 'between its evaluation and its alerts', of: webhookRows },
  { when: 'while it sends alerts', of: budgetAlertRows },
])('a worker that stands still $when', ({ of }) => {
  test('writes neither an event nor a row for a budget that was removed meanwhile', async () => {
    await hooks({ alert_at: [50] });
    const remove = () => removeBudget(ctx, orgId, budget._id);
    expect(await spend(60, standingStillAfter(ctx, of, remove))).toEqual([]);
    expect(await budgetAlertRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
  });

  test('decides by a limit that was raised meanwhile, and sends the alert once that is reached', async () => {
    await hooks({ alert_at: [50] });
    const raiseLimit = () => changeBudget(ctx, orgId, budget._id, { threshold: 200 });
    expect(await spend(60, standingStillAfter(ctx, of, raiseLimit))).toEqual([]);
    expect(await spend(40)).toEqual([50]);
    expect(await readEvents(ctx, orgId)).toMatchObject([{ data: { current: 100, threshold: 200 } }]);
  });
});

test('a worker that stands still after it has read a budget fires no level once that is removed', async () => {
  await hooks({ events: ['budget.warning', 'budget.exceeded'] });
  const remove = () => removeBudget(ctx, orgId, budget._id);
  await spend(100, standingStillAfter(ctx, budgetRows, remove));
  expect(await budgetFiringRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
  expect(await readEvents(ctx, orgId)).toEqual([]);
});
