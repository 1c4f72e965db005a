import { describe, expect, it } from 'vitest';
import { endIfSilent } from '../../../../../../shared/core/calls/ingest/end-session.ts';
import { sessionRows } from '../../../../../../shared/core/calls/sessions/model.ts';
import { evaluateDue } from '../../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetFiringRows } from '../../../../../../shared/core/limits/budgets/rules/fired.ts';
import { createBatcher } from '../../../../../../shared/platform/context/batcher.ts';
import { checkSession } from '../../../../../../shared/wings/anomalies/check-session.ts';
import { anomalyRows } from '../../../../../../shared/wings/anomalies/model.ts';
import { makeSignal } from '../../../../../support/factories.ts';
import { fixture } from '../../../../../support/fixture.ts';
import type { TestContext } from '../../../../../support/harness.ts';
import { findDeliveries, readEvents } from '../../../../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9/';
const fx = await fixture({ clock: true, perTest: true });
const { ctx, clock } = fx;

/** Posts one signal that opens a session, and returns the session's id. */
async function openSession(overrides: Record<string, unknown> = {}, key = fx.key): Promise<string> {
  const signal = makeSignal({ ts: clock.now(), ...overrides });
  return (await fx.ask('/api/v1/signals', signal, { key })).results[0].session_id;
}
const events = (orgId = fx.orgId) => readEvents(ctx, orgId);

const all = <Result>(run: () => Promise<Result>) => Promise.all(Array.from({ length: 6 }, run));

/** Another process, as far as batches go. */
const asOther = (ctx: TestContext) => ({ ...ctx, batcher: createBatcher() });

describe('an event', () => {
  it('is stored when somebody subscribes to it, with its delivery, and otherwise is not', async () => {
    await openSession({ user_id: 'ada' });
    expect(await events()).toEqual([]);
    await fx.webhook(URL, ['session.ended']);
    await openSession({ user_id: 'bob' });
    expect(await events()).toEqual([]);
    const { _id } = await fx.webhook(URL, ['session.started']);
    const id = await openSession({ user_id: 'cyd' });
    const [event, ...more] = await events();
    expect(event).toMatchObject({ type: 'session.started', org_id: fx.orgId, data: { id, user_id: 'cyd' } });
    expect(more).toEqual([]);
    expect(await findDeliveries(ctx, { org_id: fx.orgId })).toMatchObject([
      { event_id: event?.id, webhook_id: _id },
    ]);
  });

  it('is stored with its delivery or not at all, when the webhook is made at that moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { orgId, key, webhook } = await fx.tenant();
      const before = await openSession({ user_id: 'ada' }, key);
      const beside = ['bob', 'cyd', 'dan'].map((user_id) => openSession({ user_id }, key));
      await Promise.all([...beside, webhook(URL, ['session.started'])]);
      const after = await openSession({ user_id: 'eve' }, key);
      const stored = await events(orgId);
      const delivered = (await findDeliveries(ctx, { org_id: orgId })).map(({ event_id }) => event_id);
      expect(stored.map(({ id }) => id).toSorted()).toEqual(delivered.toSorted());
      const sessions = stored.map(({ data }) => data.id);
      expect([sessions.includes(before), sessions.includes(after)]).toEqual([false, true]);
    }
  });
});

describe('without a webhook', () => {
  it('a level, an anomaly and the end of a session each happen once, however many find them', async () => {
    const { orgId } = fx;
    await fx.budget({ metric: 'signals', window: 'monthly', threshold: 1 });
    const id = await openSession({ tokens_in: 3_000_000 });
    const fired = await all(() => evaluateDue(ctx, orgId));
    expect(fired.reduce((sum, count) => sum + count)).toBe(2);
    expect(await budgetFiringRows(ctx).countDocuments({ org_id: orgId })).toBe(2);
    await all(() => checkSession(ctx, id));
    expect(await anomalyRows(ctx).find({ org_id: orgId }).toArray()).toMatchObject([{ reports: 1 }]);
    clock.advance(1_800_001);
    const session = await sessionRows(ctx).findOne({ _id: id });
    const ended = await all(() => endIfSilent(asOther(ctx), session?.key ?? ''));
    expect(ended.filter((result) => 'ended' in result && result.ended)).toHaveLength(1);
    expect(await events()).toEqual([]);
  });
});
