import { describe, expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { createWebhook } from '../../../../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import {
  changeBudget,
  createBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { budgetWindowRetention } from '../../../../../shared/core/limits/budgets/count/retention.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { budgetFiringRows } from '../../../../../shared/core/limits/budgets/rules/fired.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import { listBudgetEvents } from '../../../../../shared/core/limits/budgets/show/read-history.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { readEvents, SECRET, subscribeToAll } from '../../../../support/webhooks.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 18, 10);
const { clock, ctx } = await storesFixture({ clock: NOW });

const base: BudgetInput = {
  name: 'Three days',
  scope: 'org',
  metric: 'signals',
  threshold: 100,
  window: 'rolling',
  rolling_days: 3,
  timezone: 'UTC',
};

async function makeOrganization(): Promise<string> {
  clock.set(NOW);
  const { orgId } = await makeTenant(ctx);
  await subscribeToAll(ctx, orgId);
  return orgId;
}

/** Uses so much on a day, counted from today, and evaluates. Returns the levels that have fired since the call before. */
async function use(orgId: string, count: number, day = 0): Promise<string[]> {
  await post(orgId, count, day);
  return evaluate(orgId);
}

async function post(orgId: string, count: number, day = 0): Promise<void> {
  const signals = Array.from({ length: count }, () => makeSignal({ ts: clock.now() + day * DAY }));
  const results = await recordSignals(ctx, senderOf(orgId), signals);
  expect(results.every(({ status }) => status === 'accepted')).toBe(true);
}

async function evaluate(orgId: string): Promise<string[]> {
  const before = await levelsOf(orgId);
  await evaluateDue(ctx, orgId);
  return (await levelsOf(orgId)).slice(before.length);
}

async function levelsOf(orgId: string): Promise<string[]> {
  const events = await readEvents(ctx, orgId);
  return events.map(({ type }) => type).filter((type) => /^budget\.(warning|exceeded)$/.test(type));
}

const nextDay = (days = 1) => clock.advance(days * DAY);

describe('a level of a rolling budget', () => {
  test('fires when it is reached, and again only after a midnight brought usage below it', async () => {
    const orgId = await makeOrganization();
    const { _id } = await createBudget(ctx, orgId, base);
    expect(await use(orgId, 79)).toEqual([]);
    expect(await use(orgId, 1)).toEqual(['budget.warning']);
    nextDay();
    // 80 of yesterday go on.
    expect(await use(orgId, 5)).toEqual([]);
    expect(await use(orgId, 15)).toEqual(['budget.exceeded']);
    nextDay();
    expect(await use(orgId, 1)).toEqual([]);
    nextDay();
    // The first day has left: 21 were used in the two before.
    expect(await use(orgId, 58)).toEqual([]);
    expect(await use(orgId, 1)).toEqual(['budget.warning']);
    const page = { order: 'asc', limit: 20, after: null, total: null } as const;
    const viewer = { orgId, userId: null, scopes: ['usage:read'] as const };
    const { rows } = await listBudgetEvents(ctx, viewer, _id, page);
    expect(rows.map(({ level, event_id }) => [level, event_id !== null])).toEqual([
      ['warning', true],
      ['exceeded', true],
      ['warning', true],
    ]);
    // That it was reached on the days between is kept, but no event.
    expect(await budgetFiringRows(ctx).countDocuments({ budget_id: _id, is_carried: true })).toBeGreaterThan(
      1,
    );
  });

  test('fires once, however long it holds and however rarely it is evaluated', async () => {
    const orgId = await makeOrganization();
    await createBudget(ctx, orgId, { ...base, rolling_days: 31 });
    expect(await use(orgId, 100)).toEqual(['budget.warning', 'budget.exceeded']);
    for (const days of [1, 7, 20]) {
      nextDay(days);
      expect(await use(orgId, 1)).toEqual([]);
    }
    // 31 days after the first one it has left.
    nextDay(3);
    expect(await use(orgId, 97)).toEqual(['budget.warning', 'budget.exceeded']);
  });

  test('that was reached just before a midnight fires behind it', async () => {
    const orgId = await makeOrganization();
    await createBudget(ctx, orgId, base);
    await post(orgId, 60);
    nextDay(2);
    await post(orgId, 40);
    nextDay();
    expect(await evaluate(orgId)).toEqual(['budget.warning', 'budget.exceeded']);
  });

  test('fires by what comes late, and a late signal of yesterday does not fire it a second time', async () => {
    const orgId = await makeOrganization();
    await createBudget(ctx, orgId, base);
    nextDay(2);
    expect(await use(orgId, 79)).toEqual([]);
    expect(await use(orgId, 1, -2)).toEqual(['budget.warning']);
    expect(await use(orgId, 80, -1)).toEqual(['budget.exceeded']);
  });

  test('that a late signal reaches in an earlier window than one that is told is not kept of the earlier one', async () => {
    const orgId = await makeOrganization();
    await createBudget(ctx, orgId, base);
    nextDay(2);
    expect(await use(orgId, 80)).toEqual(['budget.warning']);
    const told = await budgetFiringRows(ctx).find({ org_id: orgId }).toArray();
    expect(await use(orgId, 85, -1)).toEqual(['budget.exceeded']);
    const kept = await budgetFiringRows(ctx).find({ org_id: orgId }).sort({ fired_at: 1 }).toArray();
    expect(kept.filter(({ level }) => level === 'warning')).toEqual(told);
    expect(kept).toHaveLength(2);
  });

  test('counts what was used before the budget was made, and fires by it at once', async () => {
    const orgId = await makeOrganization();
    await post(orgId, 60, -2);
    await post(orgId, 25, -1);
    await createBudget(ctx, orgId, base);
    expect(await evaluate(orgId)).toEqual(['budget.warning']);
  });

  test('fires again at once by another threshold, and its days stay counted', async () => {
    const orgId = await makeOrganization();
    await post(orgId, 60, -2);
    const { _id } = await createBudget(ctx, orgId, base);
    await post(orgId, 30);
    expect(await evaluate(orgId)).toEqual(['budget.warning']);
    const rows = await budgetWindowRows(ctx).find({ org_id: orgId }).toArray();
    await changeBudget(ctx, orgId, _id, { threshold: 90 });
    expect(await budgetWindowRows(ctx).find({ org_id: orgId }).toArray()).toEqual(rows);
    expect(await evaluate(orgId)).toEqual(['budget.warning', 'budget.exceeded']);
  });
});

test('an alert of a rolling budget is sent once while it holds', async () => {
  const orgId = await makeOrganization();
  const input = { url: 'http://127.0.0.1:9/', events: [], secret: SECRET, alert_at: [50], forecast: true };
  await createWebhook(ctx, orgId, input);
  await createBudget(ctx, orgId, { ...base, rolling_days: 4 });
  const alerts = async () => {
    const events = await readEvents(ctx, orgId);
    return events.map(({ type }) => type).filter((type) => /threshold|forecast/.test(type));
  };
  await use(orgId, 70);
  expect(await alerts()).toEqual(['budget.threshold']);
  nextDay();
  await use(orgId, 1);
  expect(await alerts()).toEqual(['budget.threshold']);
  nextDay(3);
  await use(orgId, 50);
  expect(await alerts()).toEqual(['budget.threshold', 'budget.threshold']);
});

test('the rows of a total and of an open quarter do not go by age, those of days do', async () => {
  const orgId = await makeOrganization();
  clock.set(Date.UTC(2026, 9, 1, 12));
  const made = await Promise.all([
    createBudget(ctx, orgId, { ...base, window: 'total', rolling_days: null }),
    createBudget(ctx, orgId, { ...base, window: 'quarterly', rolling_days: null }),
    createBudget(ctx, orgId, base),
  ]);
  await post(orgId, 3);
  clock.set(Date.UTC(2026, 11, 30));
  await budgetWindowRetention.purge(ctx, clock.now(), orgId);
  const rows = await budgetWindowRows(ctx).find({ org_id: orgId }).toArray();
  const kept = rows.map(({ counter, signals }) => [JSON.parse(counter)[2], signals]);
  expect(Object.fromEntries(kept)).toEqual({ 'quarterly 1': 3, 'total 2026-10-01': 3 });
  expect(made).toHaveLength(3);
});
