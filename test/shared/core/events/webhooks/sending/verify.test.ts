import { createHmac } from 'node:crypto';
import { verifyWebhook } from 'usage-governor/verify';
import { describe, expect, it } from 'vitest';
import { sessionView } from '../../../../../../shared/core/calls/sessions/view.ts';
import { signedHeaders } from '../../../../../../shared/core/events/webhooks/sending/sign.ts';
import { testWebhook } from '../../../../../../shared/core/events/webhooks/sending/test-webhook.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { SECRET } from '../../../../../support/webhooks.ts';

const NAMES = 'Zoë ☕ 漢字 🧾 \u2028';
const body = JSON.stringify({ user_id: NAMES });
const header = signedHeaders([SECRET], { eventId: 'evt_1', body, attempt: 1, atMs: 0 })[
  'x-service-signature'
];

const fx = await storesFixture({ receiver: true, perTest: true });

describe('a signature', () => {
  it('is the HMAC of the UTF-8 bytes, whatever characters they are', () => {
    const bytes = Buffer.from(body, 'utf8');
    expect(header).toBe(`sha256=${createHmac('sha256', SECRET).update(bytes).digest('hex')}`);
    expect(verifyWebhook(body, header, SECRET)).toBe(true);
    expect(verifyWebhook(bytes, header, SECRET)).toBe(true);
    expect(verifyWebhook(Buffer.from(body, 'latin1'), header, SECRET)).toBe(false);
  });

  it('fits one of several secrets, and no other', () => {
    const other = 'another-secret-of-32-characters-!';
    const secrets = [[other, SECRET], [SECRET, other], [other], [], ['', other]];
    const verified = secrets.map((each) => verifyWebhook(body, header, each));
    expect(verified).toEqual([true, true, false, false, false]);
    expect(verifyWebhook(body, undefined, [SECRET])).toBe(false);
    expect(verifyWebhook(`${body} `, header, [SECRET])).toBe(false);
  });

  it.each([undefined, null, {}, { user_id: NAMES }])(
    'fits no body that is %j, and nothing is thrown',
    (parsed) => {
      expect(verifyWebhook(parsed as unknown as string, header, SECRET)).toBe(false);
    },
  );
});

it('the test event is a session as every other event shows it', async () => {
  await testWebhook(fx.ctx, await fx.webhook(fx.receiver.url));
  const { test, ...session } = fx.receiver.received[0]?.event.data ?? {};
  expect(test).toBe(true);
  expect(sessionView.parse(session)).toEqual(session);
});
