import { describe, expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { createWebhook } from '../../../../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import {
  changeBudget,
  createBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { removePerson, setPerson } from '../../../../../shared/core/limits/budgets/change/change-people.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { readEvents, SECRET } from '../../../../support/webhooks.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const DAY = 86_400_000;
const { clock, ctx } = await storesFixture({ clock: NOW });

/** A daily template of 100 signals; ada has used 50 yesterday. */
async function start(exception?: { threshold: number } | { exempt: true }) {
  clock.set(NOW);
  const { orgId } = await makeTenant(ctx);
  await createWebhook(ctx, orgId, {
    url: 'http://127.0.0.1:9/',
    events: ['budget.warning', 'budget.exceeded'],
    alert_at: [50],
    secret: SECRET,
  });
  const { _id: budgetId } = await createBudget(ctx, orgId, {
    name: 'Each, per day',
    scope: 'org',
    per: 'user',
    metric: 'signals',
    threshold: 100,
    window: 'daily',
    timezone: 'UTC',
  });
  const ada = { budgetId, userId: 'ada' };
  if (exception) await setPerson(ctx, orgId, ada, exception);
  await use(orgId, 'ada', 50, NOW);
  await evaluateDue(ctx, orgId);
  clock.set(NOW + DAY);
  return { orgId, ada };
}

async function use(orgId: string, user_id: string, count: number, ts: number): Promise<void> {
  const signals = Array.from({ length: count }, () => makeSignal({ user_id, ts }));
  const results = await recordSignals(ctx, senderOf(orgId), signals);
  expect(results.every(({ status }) => status === 'accepted')).toBe(true);
}

/** A late call of somebody else and another version of the rules, after which everybody is evaluated. */
async function evaluateAll(orgId: string): Promise<string[]> {
  const before = (await readEvents(ctx, orgId)).length;
  await createBudget(ctx, orgId, {
    name: 'Another',
    scope: 'user',
    scope_id: 'eve',
    metric: 'signals',
    threshold: 1e6,
    window: 'daily',
    timezone: 'UTC',
  });
  await use(orgId, 'bob', 1, NOW);
  await evaluateDue(ctx, orgId);
  const events = (await readEvents(ctx, orgId)).slice(before);
  return events
    .map(({ type, data }) => [type, data.scope_id, data.current, 'of', data.threshold].map(String).join(' '))
    .toSorted();
}

describe('a closed window raises nothing for a threshold that one person gets later', () => {
  test('lower than the usage', async () => {
    const { orgId, ada } = await start();
    await setPerson(ctx, orgId, ada, { threshold: 10 });
    expect(await evaluateAll(orgId)).toEqual([]);
  });

  test('at the end of an exemption, and of a higher one', async () => {
    for (const exception of [{ exempt: true }, { threshold: 1_000 }] as const) {
      const { orgId, ada } = await start(exception);
      await changeBudget(ctx, orgId, ada.budgetId, { threshold: 40 });
      await removePerson(ctx, orgId, ada);
      expect(await evaluateAll(orgId)).toEqual([]);
    }
  });

  test('in place of another exception', async () => {
    const { orgId, ada } = await start({ threshold: 1_000 });
    await setPerson(ctx, orgId, ada, { exempt: true });
    await setPerson(ctx, orgId, ada, { threshold: 45 });
    expect(await evaluateAll(orgId)).toEqual([]);
  });

  test('but late calls carry it over the levels that it had not reached, and the open window fires', async () => {
    const { orgId, ada } = await start();
    await setPerson(ctx, orgId, ada, { threshold: 60 });
    await use(orgId, 'ada', 10, NOW);
    await use(orgId, 'ada', 48, NOW + DAY);
    expect(await evaluateAll(orgId)).toEqual([
      'budget.exceeded ada 60 of 60',
      'budget.threshold ada 48 of 60',
      'budget.warning ada 48 of 60',
    ]);
  });
});
