import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook } from 'usage-governor/verify';
import { describe, expect, it } from 'vitest';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { fixture } from '../support/fixture.ts';
import type { Received } from '../support/receiver.ts';
import { attemptAllDue, raise, SECRET } from '../support/webhooks.ts';

/**
 * Rows 96 and 97 over HTTP, 100 to 103 at a receiver. Every other form of URL and address, names and rebinding (98):
 * test/shared/core/events/webhooks/endpoints/url-guard.test.ts; redirects (99) and what is kept of an answer (101): sending/post.test.ts.
 */
const production = await fixture({
  env: { NODE_ENV: 'production', RATE_LIMITS: 'on', BASE_URL: 'https://governor.example' },
});
const fx = await fixture({ receiver: true, perTest: true });

const isSignedWith = (secret: string) => (request: Received) =>
  verifyWebhook(request.body, request.headers['x-service-signature'], secret);

describe('targets in production (96, 97)', () => {
  it.each([
    'ftp://example.com/',
    'https://user:pw@example.com/',
    'https://example.com:6379/',
    'https://localhost/',
    'https://127.1/',
  ])('%s is 400 and points at the url', async (url) => {
    const webhook = { url, events: ['session.started'], secret: SECRET };
    const { status, body } = await production.send('/api/v1/webhooks', webhook);
    expect([status, body.code, body.errors?.[0].pointer]).toEqual([400, 'invalid_request', '/url']);
  });
});

describe('what a receiver is sent', () => {
  it('100 has no header that a URL or an event could bring, and ids without a dot', async () => {
    const evil = 'x\r\nX-Evil: 1\r\n\r\nPOST /evil HTTP/1.1';
    await fx.webhook(`${fx.receiver.url}/%0d%0aX-Evil:1?q=%0d%0aX-Evil:1`);
    const [eventId = ''] = await raise(fx.ctx, fx.orgId, 1, { user_id: evil, [evil]: evil });
    await attemptAllDue(fx.ctx, eventId);
    expect(fx.receiver.received).toHaveLength(1);
    const [{ headers, path, event }] = fx.receiver.received as [Received];
    expect(path).toBe('/hook/%0d%0aX-Evil:1?q=%0d%0aX-Evil:1');
    expect(event.data.user_id).toBe(evil);
    expect(headers).toEqual({
      host: new URL(fx.receiver.url).host,
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
    fx.receiver.behave({ status: 500, body: 'the-receivers-own-words' });
    const { _id } = await fx.webhook(fx.receiver.url);
    const tested = await fx.send('/api/v1/webhooks/test', { webhook_id: _id });
    expect([tested.status, tested.body.status]).toEqual([200, 500]);
    expect(tested.text).not.toContain('words');
    const [eventId = ''] = await raise(fx.ctx, fx.orgId);
    await attemptAllDue(fx.ctx, eventId);
    const path = `/api/v1/webhooks/${_id}/deliveries`;
    expect((await fx.ask(path)).data[0].attempts[0].answer).toBe('the-receivers-own-words');
    expect((await fx.send(path, undefined, await fx.tenant())).status).toBe(404);
  });

  it('102 is timestamped by the attempt, so that a five-minute window holds for an event of last week', async () => {
    await fx.webhook(fx.receiver.url);
    const lastWeek = Date.now() - 7 * 86_400_000;
    await fx.spend({ ts: lastWeek });
    await attemptAllDue(fx.ctx);
    const [{ headers, body, event }] = fx.receiver.received as [Received];
    expect(event.ts).toBe(new Date(lastWeek).toISOString());
    const library = new StandardWebhook(SECRET, { format: 'raw' });
    expect(library.verify(body, headers as Record<string, string>)).toEqual(event);
  });

  it('103 is signed with the secret of its own webhook only, whoever else delivers to the same URL', async () => {
    const secretOf = (name: string) => name.repeat(32).slice(0, 32);
    const orgs = [await fx.tenant(), await fx.tenant()];
    const hooks = orgs.flatMap(({ orgId }, index) =>
      [`a${index}`, `b${index}`].map((name) => ({ orgId, secret: secretOf(name) })),
    );
    for (const { orgId, secret } of hooks)
      await createWebhook(fx.ctx, orgId, { url: fx.receiver.url, events: ['session.started'], secret });
    await Promise.all(orgs.map(({ orgId }) => raise(fx.ctx, orgId, 20)));
    await attemptAllDue(fx.ctx);
    expect(fx.receiver.received).toHaveLength(80);
    for (const { orgId, secret } of hooks) {
      const signed = fx.receiver.received.filter(isSignedWith(secret));
      expect(new Set(signed.map(({ event }) => event.id)).size).toBe(20);
      expect(signed.map(({ event }) => event.org_id)).toEqual(signed.map(() => orgId));
    }
  });
});
