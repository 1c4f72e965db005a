import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { deliveryRows, queuedDeliveryRows } from '../../shared/webhooks/deliveries/model.ts';
import { enableWebhook } from '../../shared/webhooks/endpoints/enable-webhook.ts';
import { decryptSecret } from '../../shared/webhooks/endpoints/encrypt-secret.ts';
import { webhookRows } from '../../shared/webhooks/endpoints/model.ts';
import { drainWebhook, recoverDeliveries } from '../../workers/index.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { startApi, type TestApi } from '../support/harness.ts';
import { startIssuer, type TestIssuer } from '../support/idp.ts';
import { makePerson } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { attemptAllDue, attemptAlone, SECRET } from '../support/webhooks.ts';

let idp: TestIssuer;
let api: TestApi;
let receiver: Receiver;
let key: string;
let orgId: string;
beforeAll(async () => {
  idp = await startIssuer();
  api = await startApi({ env: idp.env });
});
beforeEach(async () => {
  receiver = await startReceiver();
  ({ key, orgId } = await makeTenant(api.ctx));
});
afterEach(() => receiver.close());
afterAll(async () => {
  await api.close();
  await idp.stop();
});

const events = ['session.started', 'session.ended'];
async function register(overrides: Record<string, unknown> = {}, as = key) {
  return api.call('/api/v1/webhooks', {
    key: as,
    body: { url: receiver.url, events, secret: SECRET, ...overrides },
  });
}

describe('POST /api/v1/webhooks', () => {
  it('answers 201 with the webhook and never with the secret, which is encrypted in the store', async () => {
    const { status, body, text } = await register();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^whk_/),
      url: receiver.url,
      events,
      enabled: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(text).not.toContain(SECRET);
    const stored = await webhookRows(api.ctx).findOne({ _id: body.id });
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    expect(decryptSecret(api.ctx.config, body.id, stored?.secret ?? '')).toBe(SECRET);
    expect(() => decryptSecret(api.ctx.config, 'whk_another', stored?.secret ?? '')).toThrow();
  });

  it('takes a URL in capitals, and lists it', async () => {
    const url = receiver.url.replace('http:', 'HTTP:');
    const { status, body } = await register({ url });
    expect([status, body.url]).toEqual([201, url]);
    const { body: list } = await api.call('/api/v1/webhooks', { key });
    expect(list.data.map((each: { url: string }) => each.url)).toEqual([url]);
    const sent = await api.call('/api/v1/webhooks/test', { key, body: { webhook_id: body.id } });
    expect(sent.body.status).toBe(200);
  });

  it.each([
    { url: 'http://example.com/' },
    { url: 'https://169.254.169.254/' },
    { url: 7 },
    { url: undefined },
    { events: [] },
    { events: ['session.started', 'session.started'] },
    { events: ['session.paused'] },
    { events: 'session.started' },
    { secret: 'x'.repeat(31) },
    { secret: 'x'.repeat(257) },
    { secret: undefined },
    { enabled: false },
    { org_id: 'org_other' },
  ])('400 for %j', async (overrides) => {
    const { status, body } = await register(overrides);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(await webhookRows(api.ctx).countDocuments({ org_id: orgId })).toBe(0);
  });

  it('takes a URL of 2,000 characters, whatever they are, and none of 2,001', async () => {
    const base = 'https://example.com/';
    const urlOf = (characters: number) => base + '😀'.repeat(characters - base.length);
    expect((await register({ url: urlOf(2_000) })).status).toBe(201);
    const { status, body } = await register({ url: urlOf(2_001) });
    expect([status, body.errors?.[0].pointer]).toEqual([400, '/url']);
  });

  it('403 without the scope, and for a key that is bound to one user', async () => {
    const reader = await makeTenant(api.ctx, { scopes: ['usage:read'] });
    expect((await register({}, reader.key)).status).toBe(403);
    const bound = await makeTenant(api.ctx, { scopes: [...SCOPES], user_id: 'ada' });
    expect((await register({}, bound.key)).status).toBe(403);
    expect((await api.call('/api/v1/webhooks')).status).toBe(401);
  });
});

describe('another organization', () => {
  it('meets the same 404 as for a webhook that never was, and changes nothing', async () => {
    const { body } = await register();
    const other = await makeTenant(api.ctx);
    const headers = { 'X-Request-Id': 'the-same-id' };
    const paths = [
      (id: string) => ({ path: `/api/v1/webhooks/${id}`, method: 'DELETE' }),
      (id: string) => ({ path: `/api/v1/webhooks/${id}/deliveries`, method: 'GET' }),
      (id: string) => ({ path: `/api/v1/webhooks/${id}/deliveries/dlv_1/redeliver`, method: 'POST' }),
    ];
    for (const pathOf of paths) {
      const [theirs, none] = await Promise.all(
        [body.id, 'whk_0000000000000000000000'].map((id) => {
          const { path, method } = pathOf(id);
          return api.call(path, { method, key: other.key, headers });
        }),
      );
      expect([theirs?.status, theirs?.text]).toEqual([404, none?.text]);
    }
    const test = await api.call('/api/v1/webhooks/test', { key: other.key, body: { webhook_id: body.id } });
    expect(test.status).toBe(404);
    expect((await api.call('/api/v1/webhooks', { key: other.key })).body).toEqual({ data: [] });
    expect((await api.call('/api/v1/webhooks', { key })).body.data).toHaveLength(1);
    expect(receiver.received).toHaveLength(0);
  });
});

describe('a signal', () => {
  it('arrives as session.started with the session without its signals, and stands in the log', async () => {
    const { body: webhook } = await register();
    const posted = await api.call('/api/v1/signals', {
      key,
      body: makeSignal({ ts: Date.now(), user_id: 'bob' }),
    });
    const sessionId = posted.body.results[0].session_id;
    await attemptAllDue(api.ctx);
    const [request] = receiver.received;
    expect(request?.event).toMatchObject({
      type: 'session.started',
      org_id: orgId,
      data: { id: sessionId, user_id: 'bob' },
    });
    expect(request?.event.data).not.toHaveProperty('signals');
    await api.call(`/api/v1/sessions/${sessionId}/close`, { method: 'POST', key });
    await attemptAllDue(api.ctx);
    const log = await api.call(`/api/v1/webhooks/${webhook.id}/deliveries`, { key });
    expect(log.body).toMatchObject({ has_more: false, total: 2 });
    expect(log.body.data.map(({ type }: { type: string }) => type)).toEqual([
      'session.ended',
      'session.started',
    ]);
    expect(log.body.data[1]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      event_id: request?.event.id,
      type: 'session.started',
      status: 'succeeded',
      attempts: [
        {
          number: 1,
          at: expect.any(String),
          status: 200,
          latency_ms: expect.any(Number),
          error: null,
          answer: null,
        },
      ],
      next_attempt_at: null,
    });
    const { body: list } = await api.call('/api/v1/webhooks', { key });
    expect(list.data).toEqual([
      {
        ...webhook,
        format: 'json',
        alert_at: [],
        forecast: false,
        quiet_hours: null,
        digest: 'none',
        status: 'active',
        failing_since: null,
        alerted_at: null,
        held: 0,
        last_delivery: log.body.data[0],
      },
    ]);
  });
});

describe('the log', () => {
  it('pages newest first by cursor, and a cursor of another webhook is refused', async () => {
    const { body: webhook } = await register();
    for (let index = 0; index < 5; index += 1) {
      await api.call('/api/v1/signals', { key, body: makeSignal({ ts: Date.now(), user_id: `u${index}` }) });
    }
    const path = `/api/v1/webhooks/${webhook.id}/deliveries?limit=2`;
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const { body } = await api.call(path + cursor, { key });
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = `&cursor=${encodeURIComponent(body.cursor)}`;
      expect(body.total).toBe(5);
      if (!body.has_more) break;
    }
    expect(new Set(seen).size).toBe(5);
    const { body: other } = await register();
    const refused = await api.call(`/api/v1/webhooks/${other.id}/deliveries?limit=2${cursor}`, { key });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_cursor']);
  });

  it('sends one again with 202, and 404 for one of another webhook', async () => {
    const { body: webhook } = await register();
    const { body: other } = await register({ events: ['session.ended'] });
    await api.call('/api/v1/signals', { key, body: makeSignal({ ts: Date.now() }) });
    await attemptAllDue(api.ctx);
    const log = await api.call(`/api/v1/webhooks/${webhook.id}/deliveries`, { key });
    const id = log.body.data[0].id;
    const again = await api.call(`/api/v1/webhooks/${webhook.id}/deliveries/${id}/redeliver`, {
      method: 'POST',
      key,
    });
    expect([again.status, again.body.status]).toEqual([202, 'pending']);
    await attemptAllDue(api.ctx);
    expect(receiver.received.map(({ event }) => event.id)).toEqual([
      log.body.data[0].event_id,
      log.body.data[0].event_id,
    ]);
    const elsewhere = `/api/v1/webhooks/${other.id}/deliveries/${id}/redeliver`;
    expect((await api.call(elsewhere, { method: 'POST', key })).status).toBe(404);
  });
});

describe('POST /api/v1/webhooks/test', () => {
  it('sends a signed session.started with data.test now, and answers what came of it', async () => {
    const { body: webhook } = await register();
    const { status, body } = await api.call('/api/v1/webhooks/test', {
      key,
      body: { webhook_id: webhook.id },
    });
    expect(status).toBe(200);
    const [request] = receiver.received;
    expect(body).toEqual({
      event_id: request?.event.id,
      status: 200,
      latency_ms: expect.any(Number),
      error: null,
    });
    expect(request?.event).toMatchObject({ type: 'session.started', org_id: orgId, data: { test: true } });
    expect(request?.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    receiver.behave('reset');
    const failed = await api.call('/api/v1/webhooks/test', { key, body: { webhook_id: webhook.id } });
    expect(failed.body).toMatchObject({ status: null, error: 'connect' });
  });

  it('goes on after tests that could not be signed, however many', async () => {
    const { body: webhook } = await register();
    const test = async () =>
      (await api.call('/api/v1/webhooks/test', { key, body: { webhook_id: webhook.id } })).status;
    const secret = (await webhookRows(api.ctx).findOne({ _id: webhook.id }))?.secret ?? '';
    const setSecret = (next: string) =>
      webhookRows(api.ctx).updateOne({ _id: webhook.id }, { $set: { secret: next } });
    await setSecret(secret.replace('v1.k1.', 'v1.gone.'));
    for (let failed = 0; failed < 8; failed += 1) expect(await test()).toBe(500);
    await setSecret(secret);
    expect(await test()).toBe(200);
  });
});

describe('GET and PATCH /api/v1/webhooks/{id}', () => {
  const patch = (id: string, body: unknown, as = key) =>
    api.call(`/api/v1/webhooks/${id}`, { method: 'PATCH', key: as, body });

  it('shows a webhook as the list does, and until when its former secret signs', async () => {
    const { body: webhook } = await register();
    const { status, body } = await api.call(`/api/v1/webhooks/${webhook.id}`, { key });
    const [listed] = (await api.call('/api/v1/webhooks', { key })).body.data;
    expect([status, body]).toEqual([200, { ...listed, old_secret_until: null }]);
    expect(body).toMatchObject({ status: 'active', failing_since: null, alerted_at: null, held: 0 });
  });

  it('signs with the new secret at once, and with the former one for 24 hours', async () => {
    const { body: webhook } = await register();
    const fresh = 'another-secret-of-32-characters-!';
    const { status, body, text } = await patch(webhook.id, { secret: fresh });
    expect(status).toBe(200);
    expect(text).not.toContain(fresh);
    expect(Date.parse(body.old_secret_until) - Date.now()).toBeGreaterThan(24 * 3_600_000 - 10_000);
    await api.call('/api/v1/signals', { key, body: makeSignal({ ts: Date.now() }) });
    await attemptAllDue(api.ctx);
    const [request] = receiver.received;
    if (!request) throw new Error('nothing arrived');
    const header = request.headers['x-service-signature'];
    expect(verifyWebhook(request.body, header, fresh)).toBe(true);
    expect(verifyWebhook(request.body, header, SECRET)).toBe(false);
    expect(verifyWebhook(request.body, header, [SECRET, fresh])).toBe(true);
    for (const secret of [fresh, SECRET]) {
      const library = new StandardWebhook(secret, { format: 'raw' });
      expect(library.verify(request.body, request.headers as Record<string, string>)).toEqual(request.event);
    }
    expect(request.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  });

  it('holds what is raised while it is paused, and sends it in order when it is not', async () => {
    const { body: webhook } = await register({ events: ['session.started'] });
    expect((await patch(webhook.id, { enabled: false })).body).toMatchObject({
      enabled: false,
      status: 'active',
    });
    for (const user_id of ['a', 'b', 'c'])
      await api.call('/api/v1/signals', { key, body: makeSignal({ ts: Date.now(), user_id }) });
    expect(await attemptAllDue(api.ctx)).toBe(0);
    expect((await api.call(`/api/v1/webhooks/${webhook.id}`, { key })).body.held).toBe(3);
    expect((await patch(webhook.id, { enabled: true })).body.enabled).toBe(true);
    await drainWebhook.handle({ key: webhook.id }, api.ctx);
    expect(receiver.received.map(({ event }) => event.data.user_id)).toEqual(['a', 'b', 'c']);
  });

  it('does not end failing by `enabled: true`, and subscribes from then on by `events`', async () => {
    const { body: webhook } = await register({ events: ['session.ended'] });
    await webhookRows(api.ctx).updateOne({ _id: webhook.id }, { $set: { status: 'failing' } });
    expect((await patch(webhook.id, { enabled: true })).body.status).toBe('failing');
    await webhookRows(api.ctx).updateOne({ _id: webhook.id }, { $set: { status: 'active' } });
    await api.call('/api/v1/signals', { key, body: makeSignal({ ts: Date.now(), user_id: 'before' }) });
    await patch(webhook.id, { events: ['session.started'] });
    await api.call('/api/v1/signals', { key, body: makeSignal({ ts: Date.now(), user_id: 'after' }) });
    await attemptAllDue(api.ctx);
    expect(receiver.received.map(({ event }) => event.data.user_id)).toEqual(['after']);
  });

  it.each([{}, { url: 'https://example.com/' }, { events: [] }, { secret: 'short' }, { enabled: 'no' }])(
    '400 for %j',
    async (change) => {
      const { body: webhook } = await register();
      const { status, body } = await patch(webhook.id, change);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    },
  );

  it('is 404 for another organization, byte for byte as for none', async () => {
    const { body: webhook } = await register();
    const other = await makeTenant(api.ctx);
    const headers = { 'X-Request-Id': 'the-same-id' };
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { enabled: false }],
    ] as const) {
      const [theirs, none] = await Promise.all(
        [webhook.id, 'whk_0000000000000000000000'].map((id) =>
          api.call(`/api/v1/webhooks/${id}`, { method, key: other.key, headers, body }),
        ),
      );
      expect([theirs?.status, theirs?.text]).toEqual([404, none?.text]);
    }
  });
});

describe('the delivery log', () => {
  it('is narrowed to a status or a type, and shows the bytes of a delivery', async () => {
    const { body: webhook } = await register();
    for (const user_id of ['a', 'b']) {
      const posted = await api.call('/api/v1/signals', {
        key,
        body: makeSignal({ ts: Date.now(), user_id }),
      });
      if (user_id === 'a')
        await api.call(`/api/v1/sessions/${posted.body.results[0].session_id}/close`, {
          method: 'POST',
          key,
        });
    }
    const path = `/api/v1/webhooks/${webhook.id}/deliveries`;
    const of = async (query: string) => {
      const { body } = await api.call(`${path}?${query}`, { key });
      return [body.data.length, body.total];
    };
    expect(await of('status=pending')).toEqual([3, 3]);
    expect(await of('status=succeeded')).toEqual([0, 0]);
    await attemptAllDue(api.ctx);
    expect(await of('status=pending')).toEqual([0, 0]);
    expect(await of('status=succeeded')).toEqual([3, 3]);
    expect(await of('type=session.ended')).toEqual([1, 1]);
    expect(await of('status=succeeded&type=session.started')).toEqual([2, 2]);
    expect((await api.call(`${path}?status=lost`, { key })).status).toBe(400);
    const [delivery] = (await api.call(path, { key })).body.data;
    const { status, body } = await api.call(`${path}/${delivery.id}`, { key });
    const sent = receiver.received.find(({ event }) => event.id === delivery.event_id);
    expect([status, body]).toEqual([
      200,
      {
        ...delivery,
        request: {
          headers: { 'content-type': 'application/json', 'webhook-id': delivery.event_id },
          body: sent?.body,
        },
      },
    ]);
    const stranger = await makeTenant(api.ctx);
    expect((await api.call(`${path}/${delivery.id}`, { key: stranger.key })).status).toBe(404);
    const { body: other } = await register();
    const elsewhere = `/api/v1/webhooks/${other.id}/deliveries/${delivery.id}`;
    expect((await api.call(elsewhere, { key })).status).toBe(404);
  });
});

describe('POST /api/v1/webhooks/{id}/recover', () => {
  it('sends what was exhausted again, in order, and nothing of before', async () => {
    const { body: webhook } = await register({ events: ['session.started'] });
    const users = ['a', 'b', 'c'];
    for (const user_id of users)
      await api.call('/api/v1/signals', { key, body: makeSignal({ ts: Date.now(), user_id }) });
    receiver.behave({ status: 500 });
    await attemptAllDue(api.ctx);
    for (let round = 2; round <= 5; round += 1) {
      const due = await queuedDeliveryRows(api.ctx).find({ webhook_id: webhook.id }).toArray();
      await queuedDeliveryRows(api.ctx).updateMany({ webhook_id: webhook.id }, { $set: { at: Date.now() } });
      await Promise.all(due.map((row) => attemptAlone(api.ctx, row)));
    }
    const recover = async (since: string) =>
      api.call(`/api/v1/webhooks/${webhook.id}/recover`, { key, body: { since } });
    const rows = await deliveryRows(api.ctx)
      .find({ webhook_id: webhook.id })
      .sort({ created_at: 1 })
      .toArray();
    expect(rows.map(({ status }) => status)).toEqual(users.map(() => 'exhausted'));
    receiver.behave({ status: 200 });
    receiver.received.length = 0;
    const second = rows[1]?.created_at.toISOString() ?? '';
    const answer = await recover(second);
    expect([answer.status, answer.body]).toEqual([202, { queued: 2 }]);
    await recoverDeliveries.handle({ key: webhook.id }, api.ctx);
    await drainWebhook.handle({ key: webhook.id }, api.ctx);
    // It has turned failing: what is recovered waits for that.
    expect(receiver.received).toHaveLength(0);
    await enableWebhook(api.ctx, orgId, webhook.id);
    await drainWebhook.handle({ key: webhook.id }, api.ctx);
    expect(receiver.received.map(({ event }) => event.data.user_id)).toEqual(['b', 'c']);
    expect((await recover(second)).body).toEqual({ queued: 0 });
    expect((await recover('2020-01-01T00:00:00Z')).status).toBe(400);
  });
});

describe('DELETE /api/v1/webhooks/{id}', () => {
  it('answers 204 once, then 404', async () => {
    const { body: webhook } = await register();
    const path = `/api/v1/webhooks/${webhook.id}`;
    expect((await api.call(path, { method: 'DELETE', key })).status).toBe(204);
    expect((await api.call(path, { method: 'DELETE', key })).status).toBe(404);
    expect((await api.call('/api/v1/webhooks', { key })).body).toEqual({ data: [] });
  });
});

describe('POST /v1/webhooks/{id}/enable', () => {
  it('is for admins of the organization; another one meets 404, a member 403', async () => {
    const { body: webhook } = await register();
    await webhookRows(api.ctx).updateOne({ _id: webhook.id }, { $set: { status: 'failing' } });
    const enable = async (of: string | undefined, role: 'admin' | 'member') => {
      const person = await makePerson(api.ctx, idp, { role, ...(of === undefined ? {} : { orgId: of }) });
      return api.call(`/v1/webhooks/${webhook.id}/enable`, { method: 'POST', key: person.session });
    };
    expect((await enable(undefined, 'admin')).status).toBe(404);
    expect((await enable(orgId, 'member')).status).toBe(403);
    expect((await api.call('/api/v1/webhooks', { key })).body.data[0].status).toBe('failing');
    const enabled = await enable(orgId, 'admin');
    expect([enabled.status, enabled.body]).toEqual([200, webhook]);
    expect((await api.call('/api/v1/webhooks', { key })).body.data[0].status).toBe('active');
  });
});
