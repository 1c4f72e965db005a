import { describe, expect, it, test } from 'vitest';
import { closeSession } from '../../../../../../shared/core/calls/ingest/end-session.ts';
import { sessionRows } from '../../../../../../shared/core/calls/sessions/model.ts';
import { eventIdOf } from '../../../../../../shared/core/events/record/new-event.ts';
import { planStep } from '../../../../../../shared/core/events/webhooks/deliveries/plan-in-steps.ts';
import { enableWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { drainDeliveries } from '../../../../../../shared/core/events/webhooks/sending/drain-deliveries.ts';
import { dueRows } from '../../../../../../shared/platform/due/model.ts';
import { deliverWebhook } from '../../../../../../workers/index.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { until } from '../../../../../support/harness.ts';
import { runWorkers } from '../../../../../support/run-workers.ts';
import { attemptAllDue } from '../../../../../support/webhooks.ts';

const HOUR_MS = 3_600_000;
const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;
/** By the machine's clock, which workers go by. */
const live = await storesFixture();
const BOTH: ('session.started' | 'session.ended')[] = ['session.started', 'session.ended'];
/** Calls of so many people, each of which opens a session. */
const callsOf = (people: number, ts: number) =>
  Array.from({ length: people }, (_, index) => ({ ts, user_id: `user-${index}` }));

test('with workers, of a hundred past sessions in one request each ends last at its receiver', async () => {
  const { receiver } = fx;
  receiver.behave({ status: 200, afterMs: 20 });
  const stop = await runWorkers(live.ctx, deliverWebhook, deliverWebhook);
  await live.webhook(receiver.url, BOTH);
  await live.record(...callsOf(100, Date.now() - 2 * HOUR_MS));
  await until(async () => receiver.received.length >= 200, { what: 'all events' });
  await stop();
  const last = new Map(receiver.received.map(({ event }) => [event.data.id, event.type]));
  expect([...last.values()]).toEqual(Array(100).fill('session.ended'));
});

describe('without', () => {
  /** One past session, whose start the receiver refuses `failures` times. */
  async function beginAndEnd(failures: number): Promise<string> {
    let refused = 0;
    fx.receiver.behave(({ event }) => {
      if (event.type !== 'session.started' || refused === failures) return { status: 200 };
      refused += 1;
      return { status: 500 };
    });
    const { _id } = await fx.webhook(fx.receiver.url, BOTH);
    await fx.record({ ts: clock.now() - 2 * HOUR_MS });
    return _id;
  }
  const types = () => fx.receiver.received.map(({ event }) => event.type);
  async function attemptIn(...waitsMs: number[]): Promise<void> {
    for (const waitMs of waitsMs) {
      clock.advance(waitMs);
      await attemptAllDue(ctx);
    }
  }

  it('a start that is tried again goes before the end', async () => {
    await beginAndEnd(2);
    await attemptIn(0, 0);
    expect(types()).toEqual(['session.started']);
    await attemptIn(30_000, 300_000, 0);
    expect(types()).toEqual([...Array(3).fill('session.started'), 'session.ended']);
  });

  it('also when both were held and the drain meets the failure', async () => {
    const id = await beginAndEnd(1);
    await webhookRows(ctx).updateOne({ _id: id }, { $set: { status: 'failing' } });
    await attemptAllDue(ctx);
    await drainDeliveries(ctx, id);
    await enableWebhook(ctx, fx.orgId, id);
    await drainDeliveries(ctx, id);
    expect(types()).toEqual(['session.started']);
    await attemptIn(30_000, 1_000);
    expect(types()).toEqual(['session.started', 'session.started', 'session.ended']);
  });

  it('also when so many sessions start at once that their deliveries are planned in steps', async () => {
    const { orgId } = fx;
    fx.receiver.behave({ status: 200 });
    await fx.webhook(fx.receiver.url, BOTH);
    await fx.webhook('http://127.0.0.1:9/', ['session.started']);
    await fx.record(...callsOf(501, clock.now()));
    const session = await sessionRows(ctx).findOne({ org_id: orgId });
    const id = session?._id ?? '';
    await closeSession(ctx, { orgId, userId: null }, id);
    const attempt = (type: (typeof BOTH)[number]) => attemptAllDue(ctx, eventIdOf({ type, cause: [id] }));
    await attempt('session.ended');
    expect(types()).toEqual([]);
    const due = await dueRows(ctx).findOne({ kind: 'plan-deliveries', org_id: orgId });
    const step = () => planStep(ctx, due?.key ?? '');
    for (let again = await step(); again; again = await step()) clock.set(again.notBeforeMs);
    await attempt('session.ended');
    await attempt('session.started');
    await attempt('session.ended');
    expect(types()).toEqual(['session.started', 'session.ended']);
  });

  it('of which nothing is kept waiting: the end of a session whose start was delivered is sent at once', async () => {
    await fx.webhook(fx.receiver.url, ['session.ended']);
    await fx.record({ ts: clock.now() - 2 * HOUR_MS });
    await attemptAllDue(ctx);
    expect(types()).toEqual(['session.ended']);
  });
});
