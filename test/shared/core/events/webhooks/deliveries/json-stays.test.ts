import { expect, it } from 'vitest';
import { eventRows } from '../../../../../../shared/core/events/record/model.ts';
import { sendDigests } from '../../../../../../shared/core/events/webhooks/deliveries/send-digests.ts';
import type { WebhookInput } from '../../../../../../shared/core/events/webhooks/endpoints/view.ts';
import { evaluateDue } from '../../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { dueRows } from '../../../../../../shared/platform/due/model.ts';
import { checkSession } from '../../../../../../shared/wings/anomalies/check-session.ts';
import { storesFixture, type Tenant } from '../../../../../support/fixture.ts';
import { startReceiver } from '../../../../../support/receiver.ts';
import { attemptAllDue, subscribe } from '../../../../../support/webhooks.ts';

const NOON = Date.UTC(2026, 10, 18, 12);
const ASKED: Partial<WebhookInput> = {
  events: ['session.started', 'budget.warning', 'budget.exceeded', 'anomaly.detected'],
  alert_at: [50, 90, 150],
  forecast: true,
};
/** Above it a session is unusual for somebody who has no past. */
const HUGE = 2_100_000;
const { ctx, clock, tenant } = await storesFixture({ clock: NOON });

/** Usage that crosses one level after the other, then several at once, and 25 sessions that are unusual. */
async function play(others: readonly Partial<WebhookInput>[]) {
  clock.set(NOON);
  const [json, chat] = [await startReceiver(), await startReceiver()];
  const { orgId, budget, ...own } = await tenant();
  await budget({ name: 'Small', threshold: 10 });
  await budget({ name: 'Large', threshold: 100 });
  await subscribe(ctx, orgId, { ...ASKED, url: json.url });
  for (const other of others) await subscribe(ctx, orgId, { ...ASKED, url: chat.url, ...other });
  const record = async (...signals: Parameters<Tenant['record']>) => {
    await own.record(...signals);
    await evaluateDue(ctx, orgId);
    for (const { key } of await dueRows(ctx).find({ org_id: orgId, kind: 'check-session' }).toArray())
      await checkSession(ctx, key);
    await sendDigests(ctx);
    await attemptAllDue(ctx);
  };
  for (const cost_usd of [6, 3, 80, 200]) await record({ ts: NOON, cost_usd });
  const spike = { ts: NOON, tokens_in: HUGE, cost_usd: 0 };
  await record(...Array.from({ length: 25 }, (_, at) => ({ ...spike, user_id: `person-${at}` })));
  clock.advance(60_000);
  await sendDigests(ctx);
  await attemptAllDue(ctx);
  const bodies = json.received.map(({ body }) => body.toString());
  await Promise.all([json.close(), chat.close()]);
  return { orgId, bodies, messages: chat.received.length };
}

/** An envelope with the ids that each organization has of its own, and times, named alike. */
function alike(body: string, orgId: string): string {
  return body
    .replaceAll(orgId, 'ORG')
    .replaceAll(/"(evt|bud|ses)_[0-9A-Za-z]+"/g, '"$1"')
    .replaceAll(/\d{4}-\d\d-\d\dT[0-9:.]+Z/g, 'TIME');
}

it('JSON webhooks get as many deliveries, byte for byte the envelopes of their events, with channels beside them or none', async () => {
  const alone = await play([]);
  const beside = await play([
    { format: 'slack' },
    { format: 'ntfy' },
    { format: 'teams', digest: 'daily' },
    { format: 'discord', events: ['budget.exceeded'] },
  ]);
  const told = ({ bodies, orgId }: typeof alone) => bodies.map((body) => alike(body, orgId)).toSorted();
  expect(told(beside)).toEqual(told(alone));
  const types = Map.groupBy(alone.bodies, (body) => JSON.parse(body).type);
  expect(Object.fromEntries([...types].map(([type, own]) => [type, own.length]))).toEqual({
    'session.started': 26,
    'budget.warning': 2,
    'budget.exceeded': 2,
    'budget.threshold': 6,
    'budget.forecast': 2,
    'anomaly.detected': 25,
  });
  for (const { bodies, orgId } of [alone, beside]) {
    const events = await eventRows(ctx).find({ org_id: orgId }).toArray();
    const stored = new Set(events.map(({ body }) => body));
    for (const body of bodies) {
      expect(stored).toContain(body);
      const { id, type, org_id, ts, data, ...rest } = JSON.parse(body);
      expect([JSON.stringify({ id, type, org_id, ts, data }), rest]).toEqual([body, {}]);
    }
  }
  expect(beside.messages).toBeGreaterThan(0);
});
