import { createHmac } from 'node:crypto';
import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionView } from '../../../../../../shared/core/calls/sessions/view.ts';
import { signedHeaders } from '../../../../../../shared/core/events/webhooks/sending/sign.ts';
import { testWebhook } from '../../../../../../shared/core/events/webhooks/sending/test-webhook.ts';
import { makeTenant } from '../../../../../support/factories.ts';
import { openTestContext, type TestContext } from '../../../../../support/harness.ts';
import { type Receiver, startReceiver } from '../../../../../support/receiver.ts';
import { attemptAllDue, makeWebhook, raise, SECRET } from '../../../../../support/webhooks.ts';

const NAMES = 'Zoë ☕ 漢字 🧾 \u2028';
const body = JSON.stringify({ user_id: NAMES });
const header = signedHeaders([SECRET], { eventId: 'evt_1', body, attempt: 1, atMs: 0 })[
  'x-service-signature'
];

let ctx: TestContext;
let receiver: Receiver;
beforeAll(async () => {
  ctx = await openTestContext();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await ctx.close();
});

describe('a signature', () => {
  it('is the HMAC of the UTF-8 bytes, whatever characters they are', () => {
    const bytes = Buffer.from(body, 'utf8');
    expect(header).toBe(`sha256=${createHmac('sha256', SECRET).update(bytes).digest('hex')}`);
    expect(verifyWebhook(body, header, SECRET)).toBe(true);
    expect(verifyWebhook(bytes, header, SECRET)).toBe(true);
    expect(verifyWebhook(Buffer.from(body, 'latin1'), header, SECRET)).toBe(false);
  });

  it('is verified as it arrives, for an event with such characters', async () => {
    const { orgId } = await makeTenant(ctx);
    await makeWebhook(ctx, orgId, receiver.url);
    const [eventId = ''] = await raise(ctx, orgId, 1, { user_id: NAMES });
    await attemptAllDue(ctx, eventId);
    const [request] = receiver.received;
    if (!request) throw new Error('nothing arrived');
    expect(request.event.data.user_id).toBe(NAMES);
    expect(verifyWebhook(Buffer.from(request.body), request.headers['x-service-signature'], SECRET)).toBe(
      true,
    );
  });

  it('fits one of several secrets, and no other', () => {
    const other = 'another-secret-of-32-characters-!';
    expect(verifyWebhook(body, header, [other, SECRET])).toBe(true);
    expect(verifyWebhook(body, header, [SECRET, other])).toBe(true);
    expect(verifyWebhook(body, header, [other])).toBe(false);
    expect(verifyWebhook(body, header, [])).toBe(false);
    expect(verifyWebhook(body, header, ['', other])).toBe(false);
    expect(verifyWebhook(body, undefined, [SECRET])).toBe(false);
    expect(verifyWebhook(`${body} `, header, [SECRET])).toBe(false);
  });
});

it('the test event is a session as every other event shows it', async () => {
  const { orgId } = await makeTenant(ctx);
  const webhook = await makeWebhook(ctx, orgId, receiver.url);
  receiver.received.length = 0;
  await testWebhook(ctx, webhook);
  const { test, ...session } = receiver.received[0]?.event.data ?? {};
  expect(test).toBe(true);
  expect(sessionView.parse(session)).toEqual(session);
});
