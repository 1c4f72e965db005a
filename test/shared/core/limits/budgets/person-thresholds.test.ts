import { describe, expect, test } from 'vitest';
import { changeBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { removePerson, setPerson } from '../../../../../shared/core/limits/budgets/change/change-people.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { use } from '../../../../support/usage.ts';
import { readEvents, subscribe } from '../../../../support/webhooks.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const DAY = 86_400_000;
const { clock, ctx, tenant } = await storesFixture({ clock: NOW });
const SIGNALS = { metric: 'signals', threshold: 100 } as const;

/** A daily template of 100 signals; ada has used 50 yesterday. */
async function start(exception?: { threshold: number } | { exempt: true }) {
  clock.set(NOW);
  const { orgId, budget } = await tenant();
  await subscribe(ctx, orgId, { events: ['budget.warning', 'budget.exceeded'], alert_at: [50] });
  const ada = { budgetId: (await budget({ ...SIGNALS, per: 'user' }))._id, userId: 'ada' };
  if (exception) await setPerson(ctx, orgId, ada, exception);
  await use(ctx, orgId, 50);
  await evaluateDue(ctx, orgId);
  clock.set(NOW + DAY);
  /** A late call of somebody else and another version of the rules, after which everybody is evaluated. */
  const evaluateAll = async () => {
    const before = (await readEvents(ctx, orgId)).length;
    await budget({ ...SIGNALS, scope: 'user', scope_id: 'eve', threshold: 1e6 });
    await use(ctx, orgId, 1, { ts: NOW, user_id: 'bob' });
    await evaluateDue(ctx, orgId);
    const told = (await readEvents(ctx, orgId)).slice(before).map(({ type, data }) => {
      const { scope_id, current, threshold } = data;
      return [type, scope_id, current, 'of', threshold].join(' ');
    });
    return told.toSorted();
  };
  return { orgId, ada, evaluateAll };
}

describe('a closed window raises nothing for a threshold that one person gets later', () => {
  test('lower than the usage', async () => {
    const { orgId, ada, evaluateAll } = await start();
    await setPerson(ctx, orgId, ada, { threshold: 10 });
    expect(await evaluateAll()).toEqual([]);
  });

  test('at the end of an exemption, and of a higher one', async () => {
    for (const exception of [{ exempt: true }, { threshold: 1_000 }] as const) {
      const { orgId, ada, evaluateAll } = await start(exception);
      await changeBudget(ctx, orgId, ada.budgetId, { threshold: 40 });
      await removePerson(ctx, orgId, ada);
      expect(await evaluateAll()).toEqual([]);
    }
  });

  test('in place of another exception', async () => {
    const { orgId, ada, evaluateAll } = await start({ threshold: 1_000 });
    await setPerson(ctx, orgId, ada, { exempt: true });
    await setPerson(ctx, orgId, ada, { threshold: 45 });
    expect(await evaluateAll()).toEqual([]);
  });

  test('but late calls carry it over the levels that it had not reached, and the open window fires', async () => {
    const { orgId, ada, evaluateAll } = await start();
    await setPerson(ctx, orgId, ada, { threshold: 60 });
    await use(ctx, orgId, 10, { ts: NOW });
    await use(ctx, orgId, 48);
    expect(await evaluateAll()).toEqual([
      'budget.exceeded ada 60 of 60',
      'budget.threshold ada 48 of 60',
      'budget.warning ada 48 of 60',
    ]);
  });
});
