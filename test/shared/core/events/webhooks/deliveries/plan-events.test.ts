import { describe, expect, it } from 'vitest';
import { endIfSilent } from '../../../../../../shared/core/calls/ingest/end-session.ts';
import { sessionRows } from '../../../../../../shared/core/calls/sessions/model.ts';
import { createBudget } from '../../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetFiringRows } from '../../../../../../shared/core/limits/budgets/rules/fired.ts';
import { createBatcher } from '../../../../../../shared/platform/context/batcher.ts';
import { checkSession } from '../../../../../../shared/wings/anomalies/check-session.ts';
import { anomalyRows } from '../../../../../../shared/wings/anomalies/model.ts';
import { makeSignal, makeTenant } from '../../../../../support/factories.ts';
import { fixture } from '../../../../../support/fixture.ts';
import type { TestContext } from '../../../../../support/harness.ts';
import { findDeliveries, makeWebhook, readEvents } from '../../../../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9/';
const { api, clock } = await fixture({ clock: true });

/** Posts one signal that opens a session, and returns the session's id. */
async function openSession(key: string, overrides: Record<string, unknown> = {}): Promise<string> {
  const body = makeSignal({ ts: clock.now(), ...overrides });
  const answer = await api.call('/api/v1/signals', { key, body });
  expect(answer.status).toBe(200);
  return answer.body.results[0].session_id;
}

const all = <Result>(run: () => Promise<Result>) => Promise.all(Array.from({ length: 6 }, run));

/** Another process, as far as batches go. */
const asOther = (ctx: TestContext) => ({ ...ctx, batcher: createBatcher() });

describe('an event', () => {
  it('is stored when somebody subscribes to it, with its delivery, and otherwise is not', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    await openSession(key, { user_id: 'ada' });
    expect(await readEvents(api.ctx, orgId)).toEqual([]);
    await makeWebhook(api.ctx, orgId, URL, ['session.ended']);
    await openSession(key, { user_id: 'bob' });
    expect(await readEvents(api.ctx, orgId)).toEqual([]);
    const { _id } = await makeWebhook(api.ctx, orgId, URL, ['session.started']);
    const id = await openSession(key, { user_id: 'cyd' });
    const [event, ...more] = await readEvents(api.ctx, orgId);
    expect(event).toMatchObject({ type: 'session.started', org_id: orgId, data: { id, user_id: 'cyd' } });
    expect(more).toEqual([]);
    expect(await findDeliveries(api.ctx, { org_id: orgId })).toMatchObject([
      { event_id: event?.id, webhook_id: _id },
    ]);
  });

  it('is stored with its delivery or not at all, when the webhook is made at that moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { orgId, key } = await makeTenant(api.ctx);
      const before = await openSession(key, { user_id: 'ada' });
      const beside = ['bob', 'cyd', 'dan'].map((user_id) => openSession(key, { user_id }));
      await Promise.all([...beside, makeWebhook(api.ctx, orgId, URL, ['session.started'])]);
      const after = await openSession(key, { user_id: 'eve' });
      const stored = await readEvents(api.ctx, orgId);
      const delivered = (await findDeliveries(api.ctx, { org_id: orgId })).map(({ event_id }) => event_id);
      expect(stored.map(({ id }) => id).toSorted()).toEqual(delivered.toSorted());
      const sessions = stored.map(({ data }) => data.id);
      expect([sessions.includes(before), sessions.includes(after)]).toEqual([false, true]);
    }
  });
});

describe('without a webhook', () => {
  it('a level, an anomaly and the end of a session each happen once, however many find them', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const shape = { scope: 'org', metric: 'signals', window: 'monthly' } as const;
    await createBudget(api.ctx, orgId, { name: 'Month', threshold: 1, ...shape });
    const id = await openSession(key, { tokens_in: 3_000_000 });
    const fired = await all(() => evaluateDue(api.ctx, orgId));
    expect(fired.reduce((sum, count) => sum + count)).toBe(2);
    expect(await budgetFiringRows(api.ctx).countDocuments({ org_id: orgId })).toBe(2);
    await all(() => checkSession(api.ctx, id));
    expect(await anomalyRows(api.ctx).find({ org_id: orgId }).toArray()).toMatchObject([{ reports: 1 }]);
    clock.advance(1_800_001);
    const session = await sessionRows(api.ctx).findOne({ _id: id });
    const ended = await all(() => endIfSilent(asOther(api.ctx), session?.key ?? ''));
    expect(ended.filter((result) => 'ended' in result && result.ended)).toHaveLength(1);
    expect(await readEvents(api.ctx, orgId)).toEqual([]);
  });
});
