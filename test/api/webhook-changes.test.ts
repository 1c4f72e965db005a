import { createHmac } from 'node:crypto';
import { verifyWebhook } from 'usage-governor/verify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdExhausted } from '../../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { deleteWebhook } from '../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { enableWebhook } from '../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { drainDeliveries } from '../../shared/core/events/webhooks/sending/drain-deliveries.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { standingStillAfter } from '../support/interleave.ts';
import { makePerson } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { attemptAllDue, makeWebhook, raise, readDelivery, SECRET } from '../support/webhooks.ts';

const DAY_MS = 86_400_000;
const NEW_SECRET = 'another-secret-of-thirty-two-characters';

const { idp, clock, api } = await fixture({ clock: true, idp: true });
let receiver: Receiver;
let key: string;
let orgId: string;
let path: string;
let id: string;
beforeEach(async () => {
  receiver = await startReceiver();
  ({ key, orgId } = await makeTenant(api.ctx));
  id = (await makeWebhook(api.ctx, orgId, receiver.url))._id;
  path = `/api/v1/webhooks/${id}`;
});
afterEach(() => receiver.close());

const change = (body: unknown, as = key) => api.call(path, { method: 'PATCH', key: as, body });
/** Raises events and sends what is due. Returns the ids. */
async function deliver(count = 1): Promise<string[]> {
  const ids = await raise(api.ctx, orgId, count);
  await attemptAllDue(api.ctx);
  return ids;
}
async function exhaust(count = 1): Promise<string[]> {
  receiver.behave({ status: 500, body: 'down' });
  const ids = await raise(api.ctx, orgId, count);
  for (const waitMs of [0, 30_000, 300_000, 1_800_000, 7_200_000]) {
    clock.advance(waitMs);
    await attemptAllDue(api.ctx);
  }
  return ids;
}
const listOf = async (query: string) => (await api.call(`${path}/deliveries?${query}`, { key })).body;

describe('PATCH /api/v1/webhooks/{id}', () => {
  it('answers what a read answers, and never a secret', async () => {
    const { status, body, text } = await change({ secret: NEW_SECRET });
    expect(status).toBe(200);
    expect(body).toEqual((await api.call(path, { key })).body);
    expect(body.old_secret_until).toBe(new Date(clock.now() + DAY_MS).toISOString());
    expect(text).not.toContain('secret-of-thirty');
    clock.advance(DAY_MS);
    expect((await api.call(path, { key })).body.old_secret_until).toBeNull();
  });

  it('gives a name, keeps it beside other changes, and takes it away', async () => {
    expect((await change({ name: 'On call' })).body.name).toBe('On call');
    expect((await change({ forecast: true })).body.name).toBe('On call');
    expect((await change({ name: 'x'.repeat(81) })).status).toBe(400);
    expect((await change({ name: null })).body).not.toHaveProperty('name');
    expect((await api.call(path, { key })).body).not.toHaveProperty('name');
  });

  it('changes the events of what is raised from then on', async () => {
    expect((await change({ events: ['session.ended'] })).body.events).toEqual(['session.ended']);
    await deliver();
    expect(receiver.received).toHaveLength(0);
  });

  it('signs with both secrets for 24 hours, then with the new one alone', async () => {
    await deliver();
    await change({ secret: NEW_SECRET });
    await deliver();
    const [, both] = receiver.received;
    const header = both?.headers['x-service-signature'];
    expect(verifyWebhook(both?.body ?? '', header, NEW_SECRET)).toBe(true);
    expect(verifyWebhook(both?.body ?? '', header, SECRET)).toBe(false);
    expect(verifyWebhook(both?.body ?? '', header, [SECRET, NEW_SECRET])).toBe(true);
    const { 'webhook-id': eventId, 'webhook-timestamp': timestamp } = both?.headers ?? {};
    const signed = [eventId, timestamp, both?.body].join('.');
    const expected = [NEW_SECRET, SECRET].map(
      (secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
    );
    expect(both?.headers['webhook-signature']).toBe(expected.join(' '));
    clock.advance(DAY_MS);
    await deliver();
    expect(String(receiver.received[2]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('keeps the former secret when a change is repeated', async () => {
    const first = (await change({ secret: NEW_SECRET })).body;
    clock.advance(1_000);
    await Promise.all([change({ secret: NEW_SECRET }), change({ secret: NEW_SECRET, enabled: true })]);
    expect((await api.call(path, { key })).body).toEqual(first);
    await deliver();
    const { body, headers } = receiver.received[0] ?? {};
    const signed = [headers?.['webhook-id'], headers?.['webhook-timestamp'], body].join('.');
    const former = createHmac('sha256', SECRET).update(signed).digest('base64');
    expect(headers?.['webhook-signature']).toContain(` v1,${former}`);
  });

  it('sends again with a new secret when the key of the former one is lost', async () => {
    await webhookRows(api.ctx).updateOne({ _id: id }, { $set: { secret: 'v1.gone.AAAA' } });
    expect((await change({ secret: NEW_SECRET })).body.old_secret_until).toBeNull();
    await deliver();
    const [request] = receiver.received;
    expect(verifyWebhook(request?.body ?? '', request?.headers['x-service-signature'], NEW_SECRET)).toBe(
      true,
    );
  });

  it('drops the oldest of three secrets', async () => {
    await change({ secret: NEW_SECRET });
    await change({ secret: `${NEW_SECRET}-3` });
    await deliver();
    expect(String(receiver.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    const header = receiver.received[0]?.headers['x-service-signature'];
    expect(verifyWebhook(receiver.received[0]?.body ?? '', header, `${NEW_SECRET}-3`)).toBe(true);
  });

  it('holds while it is paused, and sends in order afterwards', async () => {
    const [waiting = ''] = await raise(api.ctx, orgId);
    expect((await change({ enabled: false })).body.enabled).toBe(false);
    await drainDeliveries(api.ctx, id);
    const later = await deliver(2);
    expect(receiver.received).toHaveLength(0);
    expect((await api.call(path, { key })).body.held).toBe(3);
    expect((await change({ enabled: true })).body).toMatchObject({ enabled: true, status: 'active' });
    await drainDeliveries(api.ctx, id);
    expect(receiver.received.map(({ event }) => event.id)).toEqual([waiting, ...later]);
  });

  it('does not end a failing state; enabling ends both', async () => {
    await exhaust();
    await change({ enabled: false });
    expect((await change({ enabled: true })).body).toMatchObject({ enabled: true, status: 'failing' });
    await change({ enabled: false });
    const admin = await makePerson(api.ctx, idp, { orgId, role: 'admin' });
    await api.call(`/v1/webhooks/${id}/enable`, { method: 'POST', key: admin.session });
    const { body } = await api.call(path, { key });
    expect(body).toMatchObject({ enabled: true, status: 'active', failing_since: null });
  });

  it.each([{}, { secret: 'short' }, { events: [] }, { url: 'https://example.com/' }, { enabled: 'no' }])(
    'refuses %j',
    async (body) => {
      expect((await change(body)).status).toBe(400);
    },
  );
});

describe('the deliveries of a webhook', () => {
  it('are listed by status and by type, counted, a cursor for each question', async () => {
    await deliver(3);
    await exhaust();
    await raise(api.ctx, orgId, 2);
    const statuses = async (query: string) =>
      (await listOf(query)).data.map(({ status }: { status: string }) => status);
    expect(await statuses('status=succeeded')).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(await statuses('status=exhausted')).toEqual(['exhausted']);
    expect(await statuses('status=held')).toEqual(['held', 'held']);
    expect(await statuses('status=pending')).toEqual([]);
    expect((await listOf('type=session.started')).total).toBe(6);
    expect((await listOf('type=session.ended&status=succeeded')).total).toBe(0);
    const { cursor } = await listOf('status=succeeded&limit=1');
    expect((await listOf(`status=succeeded&limit=1&cursor=${cursor}`)).data).toHaveLength(1);
    expect((await listOf(`limit=1&cursor=${cursor}`)).code).toBe('invalid_cursor');
    expect((await listOf('status=lost')).code).toBe('invalid_request');
  });

  it('keep the answers of five attempts, of which a list shows the beginning', async () => {
    receiver.behave({ status: 200, body: 'x'.repeat(20_000) });
    await deliver();
    for (let again = 0; again < 6; again += 1) {
      const [{ id: deliveryId }] = (await listOf('')).data;
      await api.call(`${path}/deliveries/${deliveryId}/redeliver`, { method: 'POST', key });
      await attemptAllDue(api.ctx);
    }
    const [listed] = (await listOf('')).data;
    const whole = (await api.call(`${path}/deliveries/${listed.id}`, { key })).body;
    const { last_delivery } = (await api.call(path, { key })).body;
    const lengthsOf = ({ attempts }: { attempts: { answer: string | null }[] }) =>
      attempts.map(({ answer }) => answer?.length ?? 0);
    expect(lengthsOf(whole)).toEqual([0, 0, ...Array(5).fill(16_384)]);
    for (const each of [listed, last_delivery])
      expect(lengthsOf(each)).toEqual([0, 0, ...Array(5).fill(256)]);
  });

  it('are read with the bytes that are sent and without a signature', async () => {
    await deliver();
    const [listed] = (await listOf('')).data;
    const { status, body } = await api.call(`${path}/deliveries/${listed.id}`, { key });
    expect(status).toBe(200);
    expect(body).toMatchObject(listed);
    expect(body.request.body).toBe(receiver.received[0]?.body);
    expect(body.request.headers['webhook-id']).toBe(listed.event_id);
    expect(JSON.stringify(body.request.headers)).not.toMatch(/signature/i);
    const foreign = await makeTenant(api.ctx);
    expect((await api.call(`${path}/deliveries/${listed.id}`, { key: foreign.key })).status).toBe(404);
    const other = await makeWebhook(api.ctx, orgId, receiver.url);
    const elsewhere = `/api/v1/webhooks/${other._id}/deliveries/${listed.id}`;
    expect((await api.call(elsewhere, { key })).status).toBe(404);
  });
});

describe('POST /v1/webhooks/{id}/enable', () => {
  it('counts what was given up since the webhook began to fail, which recover then sends again', async () => {
    await exhaust();
    await enableWebhook(api.ctx, orgId, id);
    clock.advance(60_000);
    const raised = new Date(clock.now()).toISOString();
    await exhaust(3);
    await api.call('/api/v1/webhooks/test', { key, body: { webhook_id: id } });
    const admin = await makePerson(api.ctx, idp, { orgId, role: 'admin' });
    const enable = async () =>
      (await api.call(`/v1/webhooks/${id}/enable`, { method: 'POST', key: admin.session })).body.not_sent;
    const notSent = await enable();
    expect(notSent).toEqual({ count: 3, since: raised });
    expect(await enable()).toEqual({ count: 0, since: null });
    const recovered = await api.call(`${path}/recover`, { key, body: { since: notSent.since } });
    expect(recovered.body).toEqual({ queued: 3 });
  });
});

describe('POST /api/v1/webhooks/{id}/recover', () => {
  const recover = (since: string) => api.call(`${path}/recover`, { key, body: { since } });

  it('sends again what was given up since then, in order, once the webhook delivers', async () => {
    const since = new Date(clock.now()).toISOString();
    const given = await exhaust();
    expect((await recover(since)).body).toEqual({ queued: 1 });
    await holdExhausted(api.ctx, id);
    expect((await api.call(path, { key })).body.held).toBe(1);
    const admin = await makePerson(api.ctx, idp, { orgId, role: 'admin' });
    receiver.behave({ status: 200 });
    receiver.received.length = 0;
    await api.call(`/v1/webhooks/${id}/enable`, { method: 'POST', key: admin.session });
    await drainDeliveries(api.ctx, id);
    expect(receiver.received.map(({ event }) => event.id)).toEqual(given);
    expect((await recover(since)).body).toEqual({ queued: 0 });
  });

  it('holds nothing for a webhook that is deleted meanwhile', async () => {
    const since = new Date(clock.now()).toISOString();
    const [given = ''] = await exhaust();
    await recover(since);
    const remove = () => deleteWebhook(api.ctx, orgId, id);
    await holdExhausted(standingStillAfter(api.ctx, webhookRows, remove), id);
    expect((await readDelivery(api.ctx, given)).status).toBe('exhausted');
  });

  it('keeps the order of events of one transaction, in whatever order they were given up', async () => {
    const since = new Date(clock.now()).toISOString();
    receiver.behave({ status: 500, body: 'down' });
    const events = await raise(api.ctx, orgId, 5);
    for (const waitMs of [0, 30_000, 300_000, 1_800_000, 7_200_000]) {
      clock.advance(waitMs);
      for (const event of events.toReversed()) await attemptAllDue(api.ctx, event);
    }
    await drainDeliveries(api.ctx, id);
    await recover(since);
    await holdExhausted(api.ctx, id);
    await enableWebhook(api.ctx, orgId, id);
    receiver.behave({ status: 200 });
    receiver.received.length = 0;
    await drainDeliveries(api.ctx, id);
    expect(receiver.received.map(({ event }) => event.id)).toEqual(events);
  });

  it.each(['earlier', 'later'])(
    'goes back to the earlier time when it is asked for the %s one second',
    async (second) => {
      const early = new Date(clock.now()).toISOString();
      await exhaust();
      await enableWebhook(api.ctx, orgId, id);
      clock.advance(1_000);
      const late = new Date(clock.now()).toISOString();
      await exhaust();
      for (const since of second === 'earlier' ? [late, early] : [early, late])
        expect((await recover(since)).status).toBe(202);
      await holdExhausted(api.ctx, id);
      expect((await api.call(path, { key })).body.held).toBe(2);
    },
  );

  it('leaves what is older, and refuses to look back further than 30 days or ahead', async () => {
    await exhaust();
    const now = clock.now();
    expect((await recover(new Date(now - 1_000).toISOString())).body).toEqual({ queued: 0 });
    for (const atMs of [now - 30 * DAY_MS - 1_000, now + 60_000])
      expect((await recover(new Date(atMs).toISOString())).status).toBe(400);
  });
});
