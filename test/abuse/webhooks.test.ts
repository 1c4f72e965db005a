import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { startApi, type TestApi } from '../support/harness.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { attemptAllDue, makeWebhook, raise, SECRET } from '../support/webhooks.ts';

/**
 * Rows 96 and 97 over HTTP, 100 to 103 at a receiver. Every other form of URL and address, names and rebinding (98):
 * test/shared/core/events/webhooks/guard.test.ts; redirects (99) and what is kept of an answer (101): post.test.ts there.
 */
let api: TestApi;
let production: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  api = await startApi();
  production = await startApi({
    env: { NODE_ENV: 'production', RATE_LIMITS: 'on', BASE_URL: 'https://governor.example' },
  });
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());
afterAll(async () => {
  await api.close();
  await production.close();
});

const isSignedWith = (secret: string) => (request: Received) =>
  verifyWebhook(request.body, request.headers['x-service-signature'], secret);

describe('targets in production (96, 97)', () => {
  let key: string;
  beforeAll(async () => {
    ({ key } = await makeTenant(production.ctx));
  });

  it.each([
    'http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'https://user:pw@example.com/',
    'https://example.com:22/', 'https://example.com:6379/', 'https://example.com:27017/',
    `https://example.com/${'x'.repeat(2_000)}`, 'https://localhost/', 'http://localhost:3000/', 'http://127.0.0.1/',
    'https://127.1/', 'https://0x7f000001/', 'https://2130706433/', 'https://017700000001/', 'https://①②⑦.⓪.⓪.①/',
    'https://0/', 'https://[::]/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/', 'https://10.0.0.1/', 'https://100.64.0.1/', 'https://[fd00::1]/',
  ])('%.60s is 400 and points at the url', async (url) => {
    const body = { url, events: ['session.started'], secret: SECRET };
    const answer = await production.call('/api/v1/webhooks', { key, body });
    expect([answer.status, answer.body.code, answer.body.errors?.[0].pointer]).toEqual([400, 'invalid_request', '/url']);
  }); // biome-ignore format: a table
});

describe('what a receiver is sent', () => {
  it('100 has no header that a URL or an event could bring, and ids without a dot', async () => {
    const { orgId } = await makeTenant(api.ctx);
    const evil = 'x\r\nX-Evil: 1\r\n\r\nPOST /evil HTTP/1.1';
    await makeWebhook(api.ctx, orgId, `${receiver.url}/%0d%0aX-Evil:1?q=%0d%0aX-Evil:1`);
    const [eventId = ''] = await raise(api.ctx, orgId, 1, { user_id: evil, [evil]: evil });
    await attemptAllDue(api.ctx, eventId);
    expect(receiver.received).toHaveLength(1);
    const [{ headers, path, event }] = receiver.received as [Received];
    expect(path).toBe('/hook/%0d%0aX-Evil:1?q=%0d%0aX-Evil:1');
    expect(event.data.user_id).toBe(evil);
    expect(headers).toEqual({
      host: new URL(receiver.url).host,
      connection: 'keep-alive',
      'content-length': expect.stringMatching(/^\d+$/),
      'content-type': 'application/json',
      'user-agent': 'usage-governor-webhooks/1',
      'x-service-attempt': '1',
      'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      'webhook-id': expect.stringMatching(/^evt_[0-9A-Za-z]{22}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[0-9A-Za-z+/]{43}=$/),
    });
  });

  it('101 what it answers is shown to nobody but who may manage webhooks for the whole organization', async () => {
    receiver.behave({ status: 500, body: 'the-receivers-own-words' });
    const { orgId, key } = await makeTenant(api.ctx);
    const { _id } = await makeWebhook(api.ctx, orgId, receiver.url);
    const tested = await api.call('/api/v1/webhooks/test', { key, body: { webhook_id: _id } });
    expect([tested.status, tested.body.status]).toEqual([200, 500]);
    expect(tested.text).not.toContain('words');
    const [eventId = ''] = await raise(api.ctx, orgId);
    await attemptAllDue(api.ctx, eventId);
    const path = `/api/v1/webhooks/${_id}/deliveries`;
    expect((await api.call(path, { key })).body.data[0].attempts[0].answer).toBe('the-receivers-own-words');
    const stranger = await makeTenant(api.ctx);
    expect((await api.call(path, { key: stranger.key })).status).toBe(404);
    expect((await api.call(path)).status).toBe(401);
  });

  it('102 is timestamped by the attempt, so that a five-minute window holds for an event of last week', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    await makeWebhook(api.ctx, orgId, receiver.url);
    const lastWeek = Date.now() - 7 * 86_400_000;
    await api.call('/api/v1/signals', { key, body: makeSignal({ ts: lastWeek }) });
    await attemptAllDue(api.ctx);
    const [{ headers, body, event }] = receiver.received as [Received];
    expect(event.ts).toBe(new Date(lastWeek).toISOString());
    const library = new StandardWebhook(SECRET, { format: 'raw' });
    expect(library.verify(body, headers as Record<string, string>)).toEqual(event);
  });

  it('103 is signed with the secret of its own webhook only, whoever else delivers to the same URL', async () => {
    const secretOf = (name: string) => name.repeat(32).slice(0, 32);
    const orgs = await Promise.all([makeTenant(api.ctx), makeTenant(api.ctx)]);
    const hooks = orgs.flatMap(({ orgId }, index) =>
      [`a${index}`, `b${index}`].map((name) => ({ orgId, secret: secretOf(name) })),
    );
    for (const { orgId, secret } of hooks)
      await createWebhook(api.ctx, orgId, { url: receiver.url, events: ['session.started'], secret });
    await Promise.all(orgs.map(({ orgId }) => raise(api.ctx, orgId, 20)));
    await attemptAllDue(api.ctx);
    expect(receiver.received).toHaveLength(80);
    for (const { orgId, secret } of hooks) {
      const signed = receiver.received.filter(isSignedWith(secret));
      expect(new Set(signed.map(({ event }) => event.id)).size).toBe(20);
      expect(signed.map(({ event }) => event.org_id)).toEqual(signed.map(() => orgId));
    }
  });
});
