import { createHmac } from 'node:crypto';
import { verifyWebhook } from 'usage-governor/verify';
import { beforeEach, describe, expect, it } from 'vitest';
import { holdExhausted } from '../../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { deleteWebhook } from '../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { enableWebhook } from '../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { drainDeliveries } from '../../shared/core/events/webhooks/sending/drain-deliveries.ts';
import { fixture } from '../support/fixture.ts';
import { standingStillAfter } from '../support/interleave.ts';
import type { Received } from '../support/receiver.ts';
import { attemptAllDue, raise, readDelivery, SECRET } from '../support/webhooks.ts';

const DAY_MS = 86_400_000;
const NEW_SECRET = 'another-secret-of-thirty-two-characters';

const fx = await fixture({ clock: true, idp: true, admin: true, receiver: true, perTest: true });
const { clock, ctx, ask, send } = fx;
let path: string;
let id: string;
beforeEach(async () => {
  id = (await fx.webhook(fx.receiver.url))._id;
  path = `/api/v1/webhooks/${id}`;
});

const change = (body: unknown) => fx.patch(path, body);
const POST = { method: 'POST' };
/** Enables the webhook as an admin does. */
const enable = () => ask(`/v1/webhooks/${id}/enable`, undefined, { ...POST, key: fx.admin });
/** Raises events and sends what is due. Returns the ids. */
async function deliver(count = 1): Promise<string[]> {
  const ids = await raise(ctx, fx.orgId, count);
  await attemptAllDue(ctx);
  return ids;
}
/** Raises events that are given up after five attempts. Returns the ids. */
async function exhaust(count = 1, attempt: (ids: string[]) => Promise<unknown> = () => attemptAllDue(ctx)) {
  fx.receiver.behave({ status: 500, body: 'down' });
  const ids = await raise(ctx, fx.orgId, count);
  for (const waitMs of [0, 30_000, 300_000, 1_800_000, 7_200_000]) {
    clock.advance(waitMs);
    await attempt(ids);
  }
  return ids;
}
const listOf = async (query = '') => (await send(`${path}/deliveries?${query}`)).body;
const isoNow = () => new Date(clock.now()).toISOString();
/** The ids of the events that the receiver got. */
const received = () => fx.receiver.received.map(({ event }) => event.id);

const isSigned = (request: Received | undefined, secrets: string | string[]) =>
  verifyWebhook(request?.body ?? '', request?.headers['x-service-signature'], secrets);
/** The signatures of Standard Webhooks that a request has. */
const signaturesOf = (request: Received | undefined) =>
  String(request?.headers['webhook-signature']).split(' ');

/** The one that it has by a secret. */
function signatureOf(request: Received | undefined, secret: string): string {
  const { 'webhook-id': eventId, 'webhook-timestamp': timestamp } = request?.headers ?? {};
  const signed = [eventId, timestamp, request?.body].join('.');
  return `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;
}

describe('PATCH /api/v1/webhooks/{id}', () => {
  it('answers what a read answers, and never a secret', async () => {
    const { status, body, text } = await change({ secret: NEW_SECRET });
    expect(status).toBe(200);
    expect(body).toEqual(await ask(path));
    expect(body.old_secret_until).toBe(new Date(clock.now() + DAY_MS).toISOString());
    expect(text).not.toContain('secret-of-thirty');
    clock.advance(DAY_MS);
    expect((await ask(path)).old_secret_until).toBeNull();
  });

  it('gives a name, keeps it beside other changes, and takes it away', async () => {
    expect((await change({ name: 'On call' })).body.name).toBe('On call');
    expect((await change({ forecast: true })).body.name).toBe('On call');
    expect((await change({ name: null })).body).not.toHaveProperty('name');
    expect(await ask(path)).not.toHaveProperty('name');
  });

  it('changes the events of what is raised from then on', async () => {
    expect((await change({ events: ['session.ended'] })).body.events).toEqual(['session.ended']);
    await deliver();
    expect(fx.receiver.received).toHaveLength(0);
  });

  it('signs with both secrets for 24 hours, then with the new one alone', async () => {
    await deliver();
    await change({ secret: NEW_SECRET });
    await deliver();
    const [, both] = fx.receiver.received;
    const known = [NEW_SECRET, SECRET, [SECRET, NEW_SECRET]].map((secrets) => isSigned(both, secrets));
    expect(known).toEqual([true, false, true]);
    expect(signaturesOf(both)).toEqual([NEW_SECRET, SECRET].map((secret) => signatureOf(both, secret)));
    clock.advance(DAY_MS);
    await deliver();
    expect(signaturesOf(fx.receiver.received[2])).toHaveLength(1);
  });

  it('keeps the former secret when a change is repeated', async () => {
    const first = (await change({ secret: NEW_SECRET })).body;
    clock.advance(1_000);
    await Promise.all([change({ secret: NEW_SECRET }), change({ secret: NEW_SECRET, enabled: true })]);
    expect(await ask(path)).toEqual(first);
    await deliver();
    const [request] = fx.receiver.received;
    expect(signaturesOf(request)[1]).toBe(signatureOf(request, SECRET));
  });

  it('sends again with a new secret when the key of the former one is lost', async () => {
    await webhookRows(ctx).updateOne({ _id: id }, { $set: { secret: 'v1.gone.AAAA' } });
    expect((await change({ secret: NEW_SECRET })).body.old_secret_until).toBeNull();
    await deliver();
    const [request] = fx.receiver.received;
    expect(isSigned(request, NEW_SECRET)).toBe(true);
  });

  it('drops the oldest of three secrets', async () => {
    await change({ secret: NEW_SECRET });
    await change({ secret: `${NEW_SECRET}-3` });
    await deliver();
    const [request] = fx.receiver.received;
    expect([signaturesOf(request).length, isSigned(request, `${NEW_SECRET}-3`)]).toEqual([2, true]);
  });

  it('holds while it is paused, and sends in order afterwards', async () => {
    const [waiting = ''] = await raise(ctx, fx.orgId);
    expect((await change({ enabled: false })).body.enabled).toBe(false);
    await drainDeliveries(ctx, id);
    const later = await deliver(2);
    expect(fx.receiver.received).toHaveLength(0);
    expect((await ask(path)).held).toBe(3);
    expect((await change({ enabled: true })).body).toMatchObject({ enabled: true, status: 'active' });
    await drainDeliveries(ctx, id);
    expect(received()).toEqual([waiting, ...later]);
  });

  it('does not end a failing state; enabling ends both', async () => {
    await exhaust();
    await change({ enabled: false });
    expect((await change({ enabled: true })).body).toMatchObject({ enabled: true, status: 'failing' });
    await change({ enabled: false });
    await enable();
    expect(await ask(path)).toMatchObject({ enabled: true, status: 'active', failing_since: null });
  });

  it.each([{}, { events: [] }, { url: 'https://example.com/' }])('refuses %j', async (body) => {
    expect((await change(body)).status).toBe(400);
  });
});

describe('the deliveries of a webhook', () => {
  it('keep the answers of five attempts, of which a list shows the beginning', async () => {
    fx.receiver.behave({ status: 200, body: 'x'.repeat(20_000) });
    await deliver();
    for (let again = 0; again < 6; again += 1) {
      const [delivery] = (await listOf()).data;
      await ask(`${path}/deliveries/${delivery.id}/redeliver`, undefined, POST);
      await attemptAllDue(ctx);
    }
    const [listed] = (await listOf()).data;
    const whole = await ask(`${path}/deliveries/${listed.id}`);
    const { last_delivery } = await ask(path);
    const lengthsOf = ({ attempts }: { attempts: { answer: string | null }[] }) =>
      attempts.map(({ answer }) => answer?.length ?? 0);
    expect(lengthsOf(whole)).toEqual([0, 0, ...Array(5).fill(16_384)]);
    for (const each of [listed, last_delivery])
      expect(lengthsOf(each)).toEqual([0, 0, ...Array(5).fill(256)]);
  });

  it('are read with the bytes that are sent and without a signature', async () => {
    await deliver();
    const [listed] = (await listOf()).data;
    const body = await ask(`${path}/deliveries/${listed.id}`);
    expect(body).toMatchObject(listed);
    expect(body.request.body).toBe(fx.receiver.received[0]?.body);
    expect(body.request.headers['webhook-id']).toBe(listed.event_id);
    expect(JSON.stringify(body.request.headers)).not.toMatch(/signature/i);
    const other = await fx.webhook(fx.receiver.url);
    expect((await send(`/api/v1/webhooks/${other._id}/deliveries/${listed.id}`)).status).toBe(404);
  });
});

describe('POST /v1/webhooks/{id}/enable', () => {
  it('counts what was given up since the webhook began to fail, which recover then sends again', async () => {
    await exhaust();
    await enableWebhook(ctx, fx.orgId, id);
    clock.advance(60_000);
    const raised = isoNow();
    await exhaust(3);
    await ask('/api/v1/webhooks/test', { webhook_id: id });
    expect((await enable()).not_sent).toEqual({ count: 3, since: raised });
    expect((await enable()).not_sent).toEqual({ count: 0, since: null });
    expect(await ask(`${path}/recover`, { since: raised })).toEqual({ queued: 3 });
  });
});

describe('POST /api/v1/webhooks/{id}/recover', () => {
  const recover = (since: string) => send(`${path}/recover`, { since });
  /** From now on the receiver takes what is sent. */
  const mend = () => {
    fx.receiver.behave({ status: 200 });
    fx.receiver.received.length = 0;
  };

  it('sends again what was given up since then, in order, once the webhook delivers', async () => {
    const since = isoNow();
    const given = await exhaust();
    expect((await recover(since)).body).toEqual({ queued: 1 });
    await holdExhausted(ctx, id);
    expect((await ask(path)).held).toBe(1);
    mend();
    await enable();
    await drainDeliveries(ctx, id);
    expect(received()).toEqual(given);
    expect((await recover(since)).body).toEqual({ queued: 0 });
  });

  it('holds nothing for a webhook that is deleted meanwhile', async () => {
    const since = isoNow();
    const [given = ''] = await exhaust();
    await recover(since);
    const remove = () => deleteWebhook(ctx, fx.orgId, id);
    await holdExhausted(standingStillAfter(ctx, webhookRows, remove), id);
    expect((await readDelivery(ctx, given)).status).toBe('exhausted');
  });

  it('keeps the order of events of one transaction, in whatever order they were given up', async () => {
    const since = isoNow();
    const events = await exhaust(5, async (ids) => {
      for (const event of ids.toReversed()) await attemptAllDue(ctx, event);
    });
    await drainDeliveries(ctx, id);
    await recover(since);
    await holdExhausted(ctx, id);
    await enableWebhook(ctx, fx.orgId, id);
    mend();
    await drainDeliveries(ctx, id);
    expect(received()).toEqual(events);
  });

  it('leaves what is older, and refuses to look back further than 30 days or ahead', async () => {
    await exhaust();
    const now = clock.now();
    expect((await recover(new Date(now - 1_000).toISOString())).body).toEqual({ queued: 0 });
    for (const atMs of [now - 30 * DAY_MS - 1_000, now + 60_000])
      expect((await recover(new Date(atMs).toISOString())).status).toBe(400);
  });
});
