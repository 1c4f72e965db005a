import { describe, expect, test } from 'vitest';
import { voidSignals } from '../../../../../shared/core/calls/ingest/void-signals.ts';
import { type Signal, signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import type { WebhookInput } from '../../../../../shared/core/events/webhooks/endpoints/view.ts';
import {
  changeBudget,
  removeBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { removePerson, setPerson } from '../../../../../shared/core/limits/budgets/change/change-people.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { personWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { budgetFiringRows } from '../../../../../shared/core/limits/budgets/rules/fired.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { use as record } from '../../../../support/usage.ts';
import { budgetEventsOf, subscribe } from '../../../../support/webhooks.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const HOUR = 3_600_000;
const { clock, ctx, tenant } = await storesFixture({ clock: NOW });

/** A daily template of ten signals, and a webhook for its levels. */
async function tenantWith(input: Partial<BudgetInput> = {}, webhook: Partial<WebhookInput> = {}) {
  clock.set(NOW);
  const { orgId, member, budget } = await tenant();
  for (const user of ['ada', 'bob']) await member(user, { teams: ['red'] });
  await subscribe(ctx, orgId, { events: ['budget.warning', 'budget.exceeded'], ...webhook });
  const made = await budget({ per: 'user', metric: 'signals', ...input });
  /** Uses so much of each of these people, then or now, and evaluates. Returns what is told of it. */
  const use = async (used: Record<string, number>, ts = clock.now()) => {
    for (const [user_id, count] of Object.entries(used)) await record(ctx, orgId, count, { user_id, ts });
    const told = await budgetEventsOf(ctx, orgId, () => evaluateDue(ctx, orgId));
    return told
      .map(({ level, data: { scope, scope_id, current, threshold } }) =>
        [level, scope, scope_id, current, 'of', threshold].join(' '),
      )
      .toSorted();
  };
  return { orgId, budget: made, make: budget, use };
}

describe('a template', () => {
  test('fires each level once for each person, with that person as scope and the others silent', async () => {
    const { budget, use } = await tenantWith();
    expect(await use({ ada: 8, bob: 7 })).toEqual(['warning user ada 8 of 10']);
    expect(await use({ ada: 3, eve: 12 })).toEqual([
      'exceeded user ada 11 of 10',
      'exceeded user eve 12 of 10',
      'warning user eve 12 of 10',
    ]);
    expect(await use({ ada: 1 })).toEqual([]);
    const firings = await budgetFiringRows(ctx).find({ budget_id: budget._id }).toArray();
    expect(firings.map(({ user_id }) => String(user_id)).toSorted()).toEqual(['ada', 'ada', 'eve', 'eve']);
  });

  test('fires again for everybody after a change of its threshold, also for people who were silent since', async () => {
    const { orgId, budget, use } = await tenantWith();
    expect(await use({ ada: 4, bob: 5 })).toEqual([]);
    await changeBudget(ctx, orgId, budget._id, { threshold: 5 });
    expect(await use({})).toEqual([
      'exceeded user bob 5 of 5',
      'warning user ada 4 of 5',
      'warning user bob 5 of 5',
    ]);
  });

  test('fires once more for a person whose signals were voided below the level', async () => {
    const { orgId, use } = await tenantWith({ threshold: 2 });
    const levels = ['exceeded user ada 2 of 2', 'warning user ada 2 of 2'];
    expect(await use({ ada: 2 })).toEqual(levels);
    const { session_id: sessionId, id } = (await signalRows(ctx).findOne({ org_id: orgId })) as Signal;
    await voidSignals(ctx, orgId, { sessionId, signalIds: [id], reason: 'by mistake' });
    expect(await use({})).toEqual([]);
    expect(await use({ ada: 1 })).toEqual(levels);
  });

  test('of a team counts who joins at once, raises nothing for their days that are over, and forgets who leaves', async () => {
    const { orgId, budget, use } = await tenantWith({ scope: 'team', scope_id: 'red' });
    const countRows = () => personWindowRows(ctx).countDocuments({ org_id: orgId });
    await changeMember(ctx, orgId, 'bob', { teams: [] });
    expect(await use({ bob: 12 }, NOW - 12 * HOUR)).toEqual([]);
    expect(await use({ bob: 12 })).toEqual([]);
    expect(await countRows()).toBe(0);
    await changeMember(ctx, orgId, 'bob', { teams: ['red'] });
    expect(await use({})).toEqual(['exceeded user bob 12 of 10', 'warning user bob 12 of 10']);
    const silent = await budgetFiringRows(ctx).find({ budget_id: budget._id, event_id: null }).toArray();
    const over = { user_id: 'bob', window_end: new Date('2026-11-18') };
    expect(silent).toMatchObject([over, over]);
    await changeMember(ctx, orgId, 'bob', { teams: [] });
    expect(await countRows()).toBe(0);
  });

  test('tells a webhook of percentages and forecasts of each person once, also when nobody uses anything', async () => {
    const { use } = await tenantWith({}, { events: [], alert_at: [50], forecast: true });
    const toldOf = (person: string) => [
      `forecast user ${person} 5 of 10`,
      `threshold user ${person} 5 of 10`,
    ];
    expect(await use({ ada: 5 }, NOW - HOUR)).toEqual(toldOf('ada'));
    expect(await use({ bob: 3 })).toEqual([]);
    expect(await use({ bob: 2 })).toEqual(toldOf('bob'));
    expect(await use({})).toEqual([]);
  });

  test('raises the forecast of a person later, when forecasts begin, although only others have used something since', async () => {
    const { orgId, use } = await tenantWith({}, { events: [], forecast: true });
    clock.set(Date.UTC(2026, 10, 19, 2));
    expect(await use({ ada: 5 })).toEqual([]);
    // So long ago that nobody takes it for a change.
    await personWindowRows(ctx).updateMany({ org_id: orgId }, { $set: { updated_at: new Date(0) } });
    expect(await use({ bob: 1 })).toEqual([]);
    clock.set(Date.UTC(2026, 10, 19, 4, 48));
    expect(await use({})).toEqual(['forecast user ada 5 of 10']);
  });

  test('that is removed leaves nothing of its people', async () => {
    const { orgId, budget, use } = await tenantWith();
    await use({ ada: 12 });
    await removeBudget(ctx, orgId, budget._id);
    expect(await personWindowRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
    expect(await budgetFiringRows(ctx).countDocuments({ budget_id: budget._id })).toBe(0);
  });
});

describe('a closed window of a person who gets another threshold later', () => {
  /** A daily template of 100 signals; ada has used 50 yesterday. */
  async function start(exception?: { threshold: number } | { exempt: true }) {
    const { orgId, budget, make, use } = await tenantWith({ threshold: 100 }, { alert_at: [50] });
    const ada = { budgetId: budget._id, userId: 'ada' };
    if (exception) await setPerson(ctx, orgId, ada, exception);
    await use({ ada: 50 });
    clock.set(NOW + 24 * HOUR);
    /** A late call of somebody else and another version of the rules, after which everybody is evaluated. */
    const evaluateAll = async () => {
      await make({ metric: 'signals', scope: 'user', scope_id: 'eve', threshold: 1e6 });
      return use({ bob: 1 }, NOW);
    };
    return { orgId, ada, evaluateAll };
  }

  test.each([
    ['lower than the usage', undefined, [{ threshold: 10 }]],
    ['at the end of an exemption', { exempt: true }, [null]],
    ['at the end of a higher one', { threshold: 1_000 }, [null]],
    ['in place of another exception', { threshold: 1_000 }, [{ exempt: true }, { threshold: 45 }]],
  ] as const)('raises nothing: %s', async (_, exception, changes) => {
    const { orgId, ada, evaluateAll } = await start(exception);
    for (const change of changes) {
      if (change === null) await changeBudget(ctx, orgId, ada.budgetId, { threshold: 40 });
      await (change === null ? removePerson(ctx, orgId, ada) : setPerson(ctx, orgId, ada, change));
    }
    expect(await evaluateAll()).toEqual([]);
  });

  test('raises the levels over which late calls carry it, and the open window fires', async () => {
    const { orgId, ada, evaluateAll } = await start();
    await setPerson(ctx, orgId, ada, { threshold: 60 });
    await record(ctx, orgId, 10, { ts: NOW });
    await record(ctx, orgId, 48);
    expect(await evaluateAll()).toEqual([
      'exceeded user ada 60 of 60',
      'threshold user ada 48 of 60',
      'warning user ada 48 of 60',
    ]);
  });
});
