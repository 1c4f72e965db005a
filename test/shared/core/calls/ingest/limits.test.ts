import { describe, expect, test } from 'vitest';
import { sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { readBudget } from '../../../../../shared/core/limits/budgets/show/read-budgets.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { checkSessionJob } from '../../../../../shared/wings/anomalies/jobs.ts';
import { makeSignal } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';
import { readEvents, subscribeToAll } from '../../../../support/webhooks.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 21, 12);
const own = await fixture({ clock: NOW, perTest: true });
const { ctx, clock } = own;

const call = (fields: object = {}) => makeSignal({ ts: NOW, ...fields });

/** Posts signals, and says what became of each. */
async function post(signals: object[], historical = false): Promise<string[]> {
  const { results } = await own.ask('/api/v1/signals', { signals, historical });
  return results.map(({ status, code }: Record<string, string>) => code ?? status);
}

test('a session that has a hundred models takes no signal of another one, and goes on with those that it has', async () => {
  const of = (model: string) => call({ model });
  await post(Array.from({ length: 100 }, (_, index) => of(`model-${index}`)));
  const results = await post([of('model-7'), of('one-more'), of('model-99')]);
  expect(results).toEqual(['accepted', 'too_many_models', 'accepted']);
  const [session, ...others] = await sessionRows(ctx).find({ org_id: own.orgId }).toArray();
  expect(others).toEqual([]);
  expect(session?.model_tokens).toHaveLength(100);
  expect(session?.signal_count).toBe(102);
  expect(await signalRows(ctx).countDocuments({ org_id: own.orgId })).toBe(102);
  clock.advance(31 * 60_000);
  expect(await post([call({ ts: clock.now(), model: 'one-more' })])).toEqual(['accepted']);
});

describe('historical signals', () => {
  const past = NOW - 24 * HOUR;
  const TOKENS = { metric: 'tokens', threshold: 1_000 } as const;
  const told = async () => {
    const events = await readEvents(ctx, own.orgId);
    return events.map(({ type, data }) => `${String(data.user_id)} ${type} ${String(data.signal_count)}`);
  };

  test('raise no event of a session, an anomaly or a budget, but count', async () => {
    const { orgId } = own;
    await subscribeToAll(ctx, orgId);
    const budget = await own.budget({ ...TOKENS, window: 'monthly' });
    await evaluateDue(ctx, orgId);
    const large = { tokens_in: 60_000_000 };
    const signals = [0, 1, 2].map((hours) => call({ ts: past + hours * HOUR, ...large }));
    expect(await post(signals, true)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await evaluateDue(ctx, orgId)).toBe(0);
    expect(await told()).toEqual([]);
    expect(await dueRows(ctx).countDocuments({ org_id: orgId, kind: checkSessionJob.kind })).toBe(0);
    expect(await sessionRows(ctx).countDocuments({ org_id: orgId, state: 'ended' })).toBe(3);
    const view = await readBudget(ctx, orgId, budget._id);
    expect(view).toMatchObject({ current: 180_000_030, state: 'exceeded' });
    // The next live signal evaluates the budget as usual.
    await post([call()]);
    expect(await evaluateDue(ctx, orgId)).toBe(2);
  });

  test('are as any other when they are young, and when they are not said to be history', async () => {
    await subscribeToAll(ctx, own.orgId);
    await post([call({ ts: NOW - HOUR, user_id: 'young' }), call({ ts: past, user_id: 'old' })], true);
    const young = ['young session.started 1', 'young session.ended 1'];
    expect(await told()).toEqual(young);
    await post([call({ ts: past, user_id: 'live' })]);
    expect(await told()).toEqual([...young, 'live session.started 1', 'live session.ended 1']);
  });

  test('are past when they are an hour older than the session timeout, whatever that is', async () => {
    await subscribeToAll(ctx, own.orgId);
    await changeOrganization(ctx, own.orgId, { session_timeout: 86_400 });
    const ages = { live: 25 * HOUR, past: 25 * HOUR + 1 };
    await post(
      Object.entries(ages).map(([user_id, age]) => call({ ts: NOW - age, user_id })),
      true,
    );
    expect(await told()).toEqual(['live session.started 1', 'live session.ended 1']);
  });

  test('end a session that was told of, and its end is told', async () => {
    await subscribeToAll(ctx, own.orgId);
    clock.set(past);
    await post([call({ ts: past })]);
    clock.set(NOW);
    await post([call({ ts: past + 10 * 60_000 }), call({ ts: past + 4 * HOUR })], true);
    expect(await told()).toEqual(['ada session.started 1', 'ada session.ended 2']);
  });

  test('raise no event of a day that is over, though live ones come with them', async () => {
    await own.budget(TOKENS);
    const live = call({ ts: NOW - HOUR, tokens_in: 1 });
    await post([live, call({ ts: past, tokens_in: 10_000 })], true);
    expect(await evaluateDue(ctx, own.orgId)).toBe(0);
    await post([call({ tokens_in: 10_000 })]);
    expect(await evaluateDue(ctx, own.orgId)).toBe(2);
  });

  test.each([
    [{ signals: [], historical: 'yes' }, 400],
    [{ ...call(), historical: true }, 400],
    [{ signals: [], historical: false }, 200],
  ])('are named beside the signals, by true or false: %j', async (body, status) => {
    expect((await own.send('/api/v1/signals', body)).status).toBe(status);
  });
});

test('names of one timezone share their windows', async () => {
  for (const timezone of ['US/Eastern', 'America/New_York'])
    await own.budget({ metric: 'signals', timezone });
  await post([call()]);
  expect(await budgetWindowRows(ctx).countDocuments({ org_id: own.orgId })).toBe(1);
});
