import { describe, expect, test } from 'vitest';
import { sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { createBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetWindowRows } from '../../../../../shared/core/limits/budgets/rules/counted.ts';
import { readBudget } from '../../../../../shared/core/limits/budgets/show/read-budgets.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { checkSessionJob } from '../../../../../shared/wings/anomalies/jobs.ts';
import { makeSignal, makeTenant } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';
import { readEvents, subscribeToAll } from '../../../../support/webhooks.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 21, 12);
const { api, clock } = await fixture({ clock: NOW });

async function post(key: string, body: unknown) {
  const answer = await api.call('/api/v1/signals', { key, body });
  return { status: answer.status, results: (answer.body.results ?? []) as Record<string, unknown>[] };
}

describe('a session that has a hundred models', () => {
  test('takes no signal of another one, and goes on with those that it has', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const of = (model: string) => makeSignal({ ts: NOW, model });
    const hundred = Array.from({ length: 100 }, (_, index) => of(`model-${index}`));
    await post(key, { signals: hundred });
    const { results } = await post(key, { signals: [of('model-7'), of('one-more'), of('model-99')] });
    expect(results.map(({ status, code }) => [status, code])).toEqual([
      ['accepted', undefined],
      ['rejected', 'too_many_models'],
      ['accepted', undefined],
    ]);
    const [session, ...others] = await sessionRows(api.ctx).find({ org_id: orgId }).toArray();
    expect(others).toEqual([]);
    expect(session?.model_tokens).toHaveLength(100);
    expect(session?.signal_count).toBe(102);
    expect(await signalRows(api.ctx).countDocuments({ org_id: orgId })).toBe(102);
    clock.advance(31 * 60_000);
    const later = await post(key, makeSignal({ ts: clock.now(), model: 'one-more' }));
    expect(later.results).toMatchObject([{ status: 'accepted' }]);
    clock.set(NOW);
  });
});

describe('historical signals', () => {
  const past = NOW - 24 * HOUR;
  const eventsOf = (orgId: string) => readEvents(api.ctx, orgId);
  const makeSubscriber = async () => {
    const tenant = await makeTenant(api.ctx);
    await subscribeToAll(api.ctx, tenant.orgId);
    return tenant;
  };

  test('raise no event of a session, an anomaly or a budget, but count', async () => {
    const { orgId, key } = await makeSubscriber();
    const fields = {
      name: 'B',
      scope: 'org',
      metric: 'tokens',
      window: 'monthly',
      threshold: 1_000,
    } as const;
    const budget = await createBudget(api.ctx, orgId, fields);
    await evaluateDue(api.ctx, orgId);
    const signals = Array.from({ length: 3 }, (_, index) =>
      makeSignal({ ts: past + index * HOUR, tokens_in: 60_000_000 }),
    );
    const { results } = await post(key, { signals, historical: true });
    expect(results.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await evaluateDue(api.ctx, orgId)).toBe(0);
    expect(await eventsOf(orgId)).toEqual([]);
    expect(await dueRows(api.ctx).countDocuments({ org_id: orgId, kind: checkSessionJob.kind })).toBe(0);
    expect(await sessionRows(api.ctx).countDocuments({ org_id: orgId, state: 'ended' })).toBe(3);
    const view = await readBudget(api.ctx, orgId, budget._id);
    expect(view).toMatchObject({ current: 180_000_030, state: 'exceeded' });
    // The next live signal evaluates the budget as usual.
    await post(key, makeSignal({ ts: NOW }));
    expect(await evaluateDue(api.ctx, orgId)).toBe(2);
  });

  test('are as any other when they are young, and when they are not said to be history', async () => {
    const { orgId, key } = await makeSubscriber();
    const young = makeSignal({ ts: NOW - HOUR, user_id: 'young' });
    const old = makeSignal({ ts: past, user_id: 'old' });
    await post(key, { signals: [young, old], historical: true });
    expect((await eventsOf(orgId)).map(({ data }) => data.user_id)).toEqual(['young', 'young']);
    await post(key, { signals: [makeSignal({ ts: past, user_id: 'live' })] });
    expect((await eventsOf(orgId)).map(({ type, data }) => `${String(data.user_id)} ${type}`)).toContain(
      'live session.ended',
    );
  });

  test('are past when they are an hour older than the session timeout, whatever that is', async () => {
    const { orgId, key } = await makeSubscriber();
    await changeOrganization(api.ctx, orgId, { session_timeout: 86_400 });
    const ages = { live: 25 * HOUR, past: 25 * HOUR + 1 };
    const signals = Object.entries(ages).map(([user_id, age]) => makeSignal({ ts: NOW - age, user_id }));
    await post(key, { signals, historical: true });
    const told = (await eventsOf(orgId)).map(({ type, data }) => `${String(data.user_id)} ${type}`);
    expect(told).toEqual(['live session.started', 'live session.ended']);
  });

  test('end a session that was told of, and its end is told', async () => {
    const { orgId, key } = await makeSubscriber();
    clock.set(past);
    await post(key, makeSignal({ ts: past }));
    clock.set(NOW);
    const signals = [10 * 60_000, 4 * HOUR].map((later) => makeSignal({ ts: past + later }));
    await post(key, { signals, historical: true });
    const events = await eventsOf(orgId);
    expect(events.map(({ type, data }) => [type, data.signal_count])).toEqual([
      ['session.started', 1],
      ['session.ended', 2],
    ]);
  });

  test('raise no event of a day that is over, though live ones come with them', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const fields = { name: 'B', scope: 'org', metric: 'tokens', window: 'daily', threshold: 1_000 } as const;
    await createBudget(api.ctx, orgId, fields);
    const old = makeSignal({ ts: past, tokens_in: 10_000 });
    await post(key, { signals: [makeSignal({ ts: NOW - HOUR, tokens_in: 1 }), old], historical: true });
    expect(await evaluateDue(api.ctx, orgId)).toBe(0);
    await post(key, makeSignal({ ts: NOW, tokens_in: 10_000 }));
    expect(await evaluateDue(api.ctx, orgId)).toBe(2);
  });

  test('are named beside the signals, by true or false', async () => {
    const { key } = await makeTenant(api.ctx);
    expect((await post(key, { signals: [], historical: 'yes' })).status).toBe(400);
    expect((await post(key, { ...makeSignal({ ts: NOW }), historical: true })).status).toBe(400);
    expect((await post(key, { signals: [], historical: false })).status).toBe(200);
  });
});

test('names of one timezone share their windows', async () => {
  const { orgId, key } = await makeTenant(api.ctx);
  const fields = { name: 'B', scope: 'org', metric: 'signals', window: 'daily', threshold: 5 } as const;
  for (const timezone of ['US/Eastern', 'America/New_York'])
    await createBudget(api.ctx, orgId, { ...fields, timezone });
  await post(key, makeSignal({ ts: NOW }));
  expect(await budgetWindowRows(api.ctx).countDocuments({ org_id: orgId })).toBe(1);
});
