import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdExhausted } from '../../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { decryptSecret } from '../../shared/core/events/webhooks/endpoints/encrypt-secret.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { makePerson } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { attemptAllDue, SECRET } from '../support/webhooks.ts';

const { idp, api } = await fixture({ idp: true });
let receiver: Receiver;
let key: string;
let orgId: string;
beforeEach(async () => {
  receiver = await startReceiver();
  ({ key, orgId } = await makeTenant(api.ctx));
});
afterEach(() => receiver.close());

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

  it('is tested without being named while it is the only one', async () => {
    const tenant = await makeTenant(api.ctx);
    const test = (body?: unknown) =>
      api.call('/api/v1/webhooks/test', { method: 'POST', key: tenant.key, body });
    expect((await test()).status).toBe(404);
    const create = () => register({}, tenant.key);
    const { body: only } = await create();
    for (const body of [undefined, {}])
      expect((await test(body)).body).toMatchObject({ status: 200, error: null });
    expect(receiver.received.at(-1)?.event).toMatchObject({ type: 'session.started', data: { test: true } });
    const { body: log } = await api.call(`/api/v1/webhooks/${only.id}/deliveries`, { key: tenant.key });
    expect(log.data.filter(({ test: isTest }: { test?: boolean }) => isTest)).toHaveLength(2);
    const { body: second } = await create();
    const refused = await test();
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/webhook_id']);
    expect((await test({ webhook_id: second.id })).status).toBe(200);
  });

  it.each([
    { url: 'http://example.com/' },
    { url: 'https://169.254.169.254/' },
    { url: 7 },
    { url: undefined },
    { secret: ' '.repeat(32) },
    { secret: '\t\n'.repeat(20) },
    { events: [] },
    { events: ['session.started', 'session.started'] },
    { events: ['session.paused'] },
    { events: 'session.started' },
    { secret: 'x'.repeat(31) },
    { secret: 'x'.repeat(257) },
    { secret: undefined },
    { name: '' },
    { name: 'x'.repeat(81) },
    { name: null },
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

  it('says which list has too many entries, and not that the body is too large', async () => {
    const body = {
      url: 'https://example.com/hook',
      secret: SECRET,
      events: [],
      alert_at: Array(11).fill(50),
    };
    const answer = await api.call('/api/v1/webhooks', { key, body });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors).toContainEqual({
      pointer: '/alert_at',
      detail: expect.stringContaining('10'),
    });
  });

  it('takes a name of 80 characters, and shows it wherever the webhook is shown', async () => {
    const name = '🚨'.repeat(80);
    const { status, body } = await register({ name });
    expect([status, body.name]).toEqual([201, name]);
    const { body: list } = await api.call('/api/v1/webhooks', { key });
    const { body: read } = await api.call(`/api/v1/webhooks/${body.id}`, { key });
    expect([list.data[0].name, read.name]).toEqual([name, name]);
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
        made_by: { user_id: null, key_id: expect.any(String) },
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

  it('adds each test to the log with its one attempt and its bytes, as a test', async () => {
    const { body: webhook } = await register();
    const test = async () =>
      (await api.call('/api/v1/webhooks/test', { key, body: { webhook_id: webhook.id } })).body;
    const log = async () => (await api.call(`/api/v1/webhooks/${webhook.id}/deliveries`, { key })).body;
    const sent = await test();
    receiver.behave({ status: 500, body: 'down' });
    const failed = await test();
    const { data, total } = await log();
    expect(total).toBe(2);
    expect(data[0]).toMatchObject({ event_id: failed.event_id, status: 'exhausted', test: true });
    expect(data[0].attempts).toMatchObject([{ number: 1, status: 500, error: 'http', answer: 'down' }]);
    expect(data[1]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      event_id: sent.event_id,
      type: 'session.started',
      status: 'succeeded',
      attempts: [
        {
          number: 1,
          at: expect.any(String),
          status: 200,
          latency_ms: sent.latency_ms,
          error: null,
          answer: null,
        },
      ],
      next_attempt_at: null,
      test: true,
    });
    const read = await api.call(`/api/v1/webhooks/${webhook.id}/deliveries/${data[1].id}`, { key });
    expect(read.body.request.body).toBe(receiver.received[0]?.body);
    await api.call('/api/v1/signals', { key, body: makeSignal({ ts: Date.now() + 1_000 }) });
    expect((await log()).data[0]).not.toHaveProperty('test');
  });

  it('never sends a test again, and a test that fails never makes the webhook failing', async () => {
    const { body: webhook } = await register();
    receiver.behave({ status: 500, body: 'down' });
    for (let tests = 0; tests < 6; tests += 1)
      await api.call('/api/v1/webhooks/test', { key, body: { webhook_id: webhook.id } });
    const { body: read } = await api.call(`/api/v1/webhooks/${webhook.id}`, { key });
    expect([read.status, read.last_delivery.test]).toEqual(['active', true]);
    const path = `/api/v1/webhooks/${webhook.id}`;
    const again = `${path}/deliveries/${read.last_delivery.id}/redeliver`;
    const refused = await api.call(again, { method: 'POST', key });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    const since = new Date(Date.now() - 60_000).toISOString();
    expect((await api.call(`${path}/recover`, { key, body: { since } })).body).toEqual({ queued: 0 });
    await holdExhausted(api.ctx, webhook.id);
    expect((await api.call(path, { key })).body).toMatchObject({ held: 0, status: 'active' });
    expect(receiver.received).toHaveLength(6);
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
    expect((await api.call(`/api/v1/webhooks/${webhook.id}/deliveries`, { key })).body.total).toBe(0);
    await setSecret(secret);
    expect(await test()).toBe(200);
  });
});

describe('GET /api/v1/webhooks/{id}', () => {
  it('shows a webhook as the list does, and until when its former secret signs', async () => {
    const { body: webhook } = await register();
    const { status, body } = await api.call(`/api/v1/webhooks/${webhook.id}`, { key });
    const [listed] = (await api.call('/api/v1/webhooks', { key })).body.data;
    expect([status, body]).toEqual([200, { ...listed, old_secret_until: null }]);
    expect(body).toMatchObject({ status: 'active', failing_since: null, alerted_at: null, held: 0 });
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
    expect([enabled.status, enabled.body]).toEqual([
      200,
      { ...webhook, not_sent: { count: 0, since: null } },
    ]);
    expect((await api.call('/api/v1/webhooks', { key })).body.data[0].status).toBe('active');
  });
});
