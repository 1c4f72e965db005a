import { describe, expect, test } from 'vitest';
import { voidSignals } from '../../../../../shared/core/calls/ingest/void-signals.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import type { WebhookInput } from '../../../../../shared/core/events/webhooks/endpoints/view.ts';
import {
  changeBudget,
  removeBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { personWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { budgetFiringRows } from '../../../../../shared/core/limits/budgets/rules/fired.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { use as record } from '../../../../support/usage.ts';
import { readEvents, type StoredEvent, subscribe } from '../../../../support/webhooks.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const HOUR = 3_600_000;
const { clock, ctx, tenant } = await storesFixture({ clock: NOW });

/** A daily template of ten signals, and a webhook for its levels. */
async function tenantWith(input: Partial<BudgetInput> = {}, webhook: Partial<WebhookInput> = {}) {
  clock.set(NOW);
  const { orgId, member, budget } = await tenant();
  for (const user of ['ada', 'bob']) await member(user, { teams: ['red'] });
  await subscribe(ctx, orgId, { events: ['budget.warning', 'budget.exceeded'], ...webhook });
  return { orgId, budget: await budget({ per: 'user', metric: 'signals', ...input }) };
}

const use = (orgId: string, user_id: string, count: number, ts = clock.now()) =>
  record(ctx, orgId, count, { user_id, ts });

const told = (events: StoredEvent[]) =>
  events.map(({ type, data: { scope, scope_id, current, threshold } }) =>
    [type, scope, scope_id, current, 'of', threshold].map(String).join(' '),
  );

describe('a template', () => {
  test('fires each level once for each person, with that person as scope and the others silent', async () => {
    const { orgId, budget } = await tenantWith();
    await use(orgId, 'ada', 8);
    await use(orgId, 'bob', 7);
    expect(await evaluateDue(ctx, orgId)).toBe(1);
    await use(orgId, 'ada', 3);
    await use(orgId, 'eve', 12);
    expect(await evaluateDue(ctx, orgId)).toBe(3);
    await use(orgId, 'ada', 1);
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    expect(told(await readEvents(ctx, orgId)).toSorted()).toEqual([
      'budget.exceeded user ada 11 of 10',
      'budget.exceeded user eve 12 of 10',
      'budget.warning user ada 8 of 10',
      'budget.warning user eve 12 of 10',
    ]);
    const firings = await budgetFiringRows(ctx).find({ budget_id: budget._id }).toArray();
    expect(firings.map(({ user_id }) => String(user_id)).toSorted()).toEqual(['ada', 'ada', 'eve', 'eve']);
  });

  test('fires again for everybody after a change of its threshold, also for people who were silent since', async () => {
    const { orgId, budget } = await tenantWith();
    await use(orgId, 'ada', 4);
    await use(orgId, 'bob', 5);
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    await changeBudget(ctx, orgId, budget._id, { threshold: 5 });
    expect(await evaluateDue(ctx, orgId)).toBe(3);
    expect(told(await readEvents(ctx, orgId)).toSorted()).toEqual([
      'budget.exceeded user bob 5 of 5',
      'budget.warning user ada 4 of 5',
      'budget.warning user bob 5 of 5',
    ]);
  });

  test('fires once more for a person whose signals were voided below the level', async () => {
    const { orgId } = await tenantWith({ threshold: 2 });
    await use(orgId, 'ada', 2);
    expect(await evaluateDue(ctx, orgId)).toBe(2);
    const [signal] = await signalRows(ctx).find({ org_id: orgId }).toArray();
    if (!signal) throw new Error('ada has signals');
    await voidSignals(ctx, orgId, {
      sessionId: signal.session_id,
      signalIds: [signal.id],
      reason: 'by mistake',
    });
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    await use(orgId, 'ada', 1);
    expect(await evaluateDue(ctx, orgId)).toBe(2);
  });

  test('of a team counts who joins at once, raises nothing for their days that are over, and forgets who leaves', async () => {
    const { orgId, budget } = await tenantWith({ scope: 'team', scope_id: 'red' });
    await changeMember(ctx, orgId, 'bob', { teams: [] });
    await use(orgId, 'bob', 12, NOW - 12 * HOUR);
    await use(orgId, 'bob', 12);
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    expect(await personWindowRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
    await changeMember(ctx, orgId, 'bob', { teams: ['red'] });
    expect(await evaluateDue(ctx, orgId)).toBe(2);
    expect(new Set((await readEvents(ctx, orgId)).map(({ data }) => data.current))).toEqual(new Set([12]));
    const silent = await budgetFiringRows(ctx).find({ budget_id: budget._id, event_id: null }).toArray();
    expect(silent.map(({ user_id, window_end }) => [user_id, window_end.toISOString()])).toEqual([
      ['bob', '2026-11-18T00:00:00.000Z'],
      ['bob', '2026-11-18T00:00:00.000Z'],
    ]);
    await changeMember(ctx, orgId, 'bob', { teams: [] });
    expect(await personWindowRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
  });

  test('tells a webhook of percentages and forecasts of each person once, also when nobody uses anything', async () => {
    const { orgId } = await tenantWith({}, { events: [], alert_at: [50], forecast: true });
    await use(orgId, 'ada', 5, NOW - HOUR);
    await use(orgId, 'bob', 3);
    await evaluateDue(ctx, orgId);
    await use(orgId, 'bob', 2);
    await evaluateDue(ctx, orgId);
    await evaluateDue(ctx, orgId);
    const events = await readEvents(ctx, orgId);
    expect(
      events.map(({ type, data }) => [type, data.scope_id, data.current].map(String).join(' ')).toSorted(),
    ).toEqual([
      'budget.forecast ada 5',
      'budget.forecast bob 5',
      'budget.threshold ada 5',
      'budget.threshold bob 5',
    ]);
  });

  test('raises the forecast of a person later, when forecasts begin, although only others have used something since', async () => {
    const { orgId } = await tenantWith({}, { events: [], forecast: true });
    clock.set(Date.UTC(2026, 10, 19, 2));
    await use(orgId, 'ada', 5);
    await evaluateDue(ctx, orgId);
    // So long ago that nobody takes it for a change.
    await personWindowRows(ctx).updateMany({ org_id: orgId }, { $set: { updated_at: new Date(0) } });
    await use(orgId, 'bob', 1);
    await evaluateDue(ctx, orgId);
    expect(await readEvents(ctx, orgId)).toEqual([]);
    clock.set(Date.UTC(2026, 10, 19, 4, 48));
    await evaluateDue(ctx, orgId);
    expect((await readEvents(ctx, orgId)).map(({ data }) => data.scope_id)).toEqual(['ada']);
  });

  test('that is removed leaves nothing of its people', async () => {
    const { orgId, budget } = await tenantWith();
    await use(orgId, 'ada', 12);
    await evaluateDue(ctx, orgId);
    await removeBudget(ctx, orgId, budget._id);
    expect(await personWindowRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
    expect(await budgetFiringRows(ctx).countDocuments({ budget_id: budget._id })).toBe(0);
  });
});
