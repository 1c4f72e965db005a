import { describe, expect, it } from 'vitest';
import { holdExhausted } from '../../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { decryptSecret } from '../../shared/core/events/webhooks/endpoints/encrypt-secret.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { fixture } from '../support/fixture.ts';
import { attemptAllDue, SECRET } from '../support/webhooks.ts';

const fx = await fixture({ receiver: true, perTest: true });
const { ctx, ask, send } = fx;

const PATH = '/api/v1/webhooks';
const POST = { method: 'POST' };
const events = ['session.started', 'session.ended'];
const register = (overrides: Record<string, unknown> = {}) =>
  send(PATH, { url: fx.receiver.url, events, secret: SECRET, ...overrides });
/** Registers a webhook, which is taken. */
const made = async (overrides: Record<string, unknown> = {}) => (await register(overrides)).body;
const logOf = ({ id }: { id: string }) => ask(`${PATH}/${id}/deliveries`);
const listed = async () => (await ask(PATH)).data;
const test = (body?: unknown) => send(`${PATH}/test`, body, POST);
/** Sends a test to a webhook. */
const testOf = async ({ id }: { id: string }) => (await test({ webhook_id: id })).body;
const FIRST_ATTEMPT = { number: 1, at: expect.any(String), status: 200, error: null, answer: null };

describe('POST /api/v1/webhooks', () => {
  it('answers 201 with the webhook and never with the secret, which is encrypted in the store', async () => {
    const { status, body, text } = await register();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^whk_/),
      url: fx.receiver.url,
      events,
      enabled: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(text).not.toContain(SECRET);
    const stored = await webhookRows(ctx).findOne({ _id: body.id });
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    expect(decryptSecret(ctx.config, body.id, stored?.secret ?? '')).toBe(SECRET);
    expect(() => decryptSecret(ctx.config, 'whk_another', stored?.secret ?? '')).toThrow();
  });

  it('takes a URL in capitals, and lists it', async () => {
    const url = fx.receiver.url.replace('http:', 'HTTP:');
    const webhook = await made({ url });
    expect([webhook.url, (await listed())[0].url]).toEqual([url, url]);
    expect((await testOf(webhook)).status).toBe(200);
  });

  it('is tested without being named while it is the only one', async () => {
    expect((await test()).status).toBe(404);
    const only = await made();
    for (const body of [undefined, {}])
      expect((await test(body)).body).toMatchObject({ status: 200, error: null });
    const data = { test: true };
    expect(fx.receiver.received.at(-1)?.event).toMatchObject({ type: 'session.started', data });
    expect((await logOf(only)).data).toMatchObject([data, data]);
    const second = await made();
    const refused = await test();
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/webhook_id']);
    expect((await testOf(second)).status).toBe(200);
  });

  it.each([
    { url: 'http://example.com/' },
    { url: 'https://169.254.169.254/' },
    { secret: ' '.repeat(32) },
    { secret: '\t\n'.repeat(20) },
    { events: [] },
    { events: ['session.started', 'session.started'] },
    { secret: undefined },
  ])('400 for %j', async (overrides) => {
    expect((await register(overrides)).body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await webhookRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(0);
  });

  it('takes a URL of 2,000 characters, whatever they are, and none of 2,001', async () => {
    const base = 'https://example.com/';
    const urlOf = (characters: number) => base + '😀'.repeat(characters - base.length);
    expect((await register({ url: urlOf(2_000) })).status).toBe(201);
    const { status, body } = await register({ url: urlOf(2_001) });
    expect([status, body.errors?.[0].pointer]).toEqual([400, '/url']);
  });

  it('takes a name of 80 characters, and is read as it is listed, with the end of its former secret', async () => {
    const name = '🚨'.repeat(80);
    const webhook = await made({ name });
    const [first] = await listed();
    expect([webhook.name, first.name]).toEqual([name, name]);
    expect(await ask(`${PATH}/${webhook.id}`)).toEqual({ ...first, old_secret_until: null });
  });
});

describe('a signal', () => {
  it('arrives as session.started with the session without its signals, and stands in the log', async () => {
    const webhook = await made();
    await fx.spend({ user_id: 'bob' });
    const [{ id: session }] = (await ask('/api/v1/sessions')).data;
    await attemptAllDue(ctx);
    const [request] = fx.receiver.received;
    const started = { type: 'session.started', org_id: fx.orgId, data: { id: session, user_id: 'bob' } };
    expect(request?.event).toMatchObject(started);
    expect(request?.event.data).not.toHaveProperty('signals');
    await ask(`/api/v1/sessions/${session}/close`, undefined, POST);
    await attemptAllDue(ctx);
    const { data, ...page } = await logOf(webhook);
    expect(page).toMatchObject({ has_more: false, total: 2 });
    expect(data.map(({ type }: { type: string }) => type)).toEqual(['session.ended', 'session.started']);
    expect(data[1]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      event_id: request?.event.id,
      type: 'session.started',
      status: 'succeeded',
      attempts: [{ ...FIRST_ATTEMPT, latency_ms: expect.any(Number) }],
      next_attempt_at: null,
    });
    const settings = { format: 'json', alert_at: [], forecast: false, quiet_hours: null, digest: 'none' };
    const state = { status: 'active', failing_since: null, alerted_at: null, held: 0 };
    const made_by = { user_id: null, key_id: fx.keyId };
    expect(await listed()).toEqual([{ ...webhook, ...settings, ...state, last_delivery: data[0], made_by }]);
  });
});

describe('the log', () => {
  it('sends one again with 202, and 404 for one of another webhook', async () => {
    const [webhook, other] = [await made(), await made({ events: ['session.ended'] })];
    await fx.spend({});
    await attemptAllDue(ctx);
    const [{ id, event_id }] = (await logOf(webhook)).data;
    const redeliver = (of: { id: string }) =>
      send(`${PATH}/${of.id}/deliveries/${id}/redeliver`, undefined, POST);
    const again = await redeliver(webhook);
    expect([again.status, again.body.status]).toEqual([202, 'pending']);
    await attemptAllDue(ctx);
    expect(fx.receiver.received.map(({ event }) => event.id)).toEqual([event_id, event_id]);
    expect((await redeliver(other)).status).toBe(404);
  });
});

describe('POST /api/v1/webhooks/test', () => {
  it('sends a signed session.started with data.test now, answers what came of it, and logs it as a test', async () => {
    const webhook = await made();
    const sent = await testOf(webhook);
    const [request] = fx.receiver.received;
    const latency_ms = expect.any(Number);
    expect(sent).toEqual({ event_id: request?.event.id, status: 200, latency_ms, error: null });
    const told = { type: 'session.started', org_id: fx.orgId, data: { test: true } };
    expect(request?.event).toMatchObject(told);
    expect(request?.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    fx.receiver.behave({ status: 500, body: 'down' });
    const failed = await testOf(webhook);
    const { data } = await logOf(webhook);
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ event_id: failed.event_id, status: 'exhausted', test: true });
    expect(data[0].attempts).toMatchObject([{ number: 1, status: 500, error: 'http', answer: 'down' }]);
    expect(data[1]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      event_id: sent.event_id,
      type: 'session.started',
      status: 'succeeded',
      attempts: [{ ...FIRST_ATTEMPT, latency_ms: sent.latency_ms }],
      next_attempt_at: null,
      test: true,
    });
    const read = await ask(`${PATH}/${webhook.id}/deliveries/${data[1].id}`);
    expect(read.request.body).toBe(request?.body);
    fx.receiver.behave('reset');
    expect(await testOf(webhook)).toMatchObject({ status: null, error: 'connect' });
    await fx.spend({ ts: Date.now() + 1_000 });
    expect((await logOf(webhook)).data[0]).not.toHaveProperty('test');
  });

  it('never sends a test again, and a test that fails never makes the webhook failing', async () => {
    const webhook = await made();
    fx.receiver.behave({ status: 500, body: 'down' });
    for (let tests = 0; tests < 6; tests += 1) await testOf(webhook);
    const path = `${PATH}/${webhook.id}`;
    const { status, last_delivery } = await ask(path);
    expect([status, last_delivery.test]).toEqual(['active', true]);
    const refused = await send(`${path}/deliveries/${last_delivery.id}/redeliver`, undefined, POST);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    const since = new Date(Date.now() - 60_000).toISOString();
    expect(await ask(`${path}/recover`, { since })).toEqual({ queued: 0 });
    await holdExhausted(ctx, webhook.id);
    expect(await ask(path)).toMatchObject({ held: 0, status: 'active' });
    expect(fx.receiver.received).toHaveLength(6);
  });

  it('goes on after tests that could not be signed, however many', async () => {
    const webhook = await made();
    const secret = (await webhookRows(ctx).findOne({ _id: webhook.id }))?.secret ?? '';
    const setSecret = (next: string) =>
      webhookRows(ctx).updateOne({ _id: webhook.id }, { $set: { secret: next } });
    await setSecret(secret.replace('v1.k1.', 'v1.gone.'));
    for (let failed = 0; failed < 8; failed += 1) expect((await testOf(webhook)).status).toBe(500);
    expect((await logOf(webhook)).total).toBe(0);
    await setSecret(secret);
    expect((await testOf(webhook)).status).toBe(200);
  });
});

it('a webhook is deleted with 204 once, then it is a 404', async () => {
  const path = `${PATH}/${(await made()).id}`;
  const answers = [await fx.remove(path), await fx.remove(path)];
  expect(answers.map(({ status }) => status)).toEqual([204, 404]);
  expect(await listed()).toEqual([]);
});
