import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhookRows } from '../../../shared/webhooks/endpoints/model.ts';
import { rotateSecretKeys } from '../../../shared/webhooks/endpoints/rotate-secret-keys.ts';
import { commandLine } from '../../support/command-line.ts';
import { makeTenant } from '../../support/factories.ts';
import { openTestContext, type TestContext, testEnv } from '../../support/harness.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { attemptAllDue, makeWebhook, raise, readDelivery, SECRET } from '../../support/webhooks.ts';

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const FRESH = `fresh:${Buffer.alloc(32, 2).toString('base64')}`;
const GONE = `gone:${Buffer.alloc(32, 3).toString('base64')}`;

let ctx: TestContext;
let receiver: Receiver;
beforeAll(async () => {
  ctx = await openTestContext({ env: { WEBHOOK_SECRET_KEYS: OLD } });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await ctx.close();
});

/** The same data, as a process that was started with these keys. */
function startedWith(keys: string): TestContext {
  return { ...ctx, config: { ...ctx.config, webhookSecretKeys: keys } };
}

function governorWith(keys: string) {
  const name = new URL(ctx.config.mongodbUrl).pathname.slice(1);
  return commandLine(testEnv(name, { env: { WEBHOOK_SECRET_KEYS: keys } }));
}

async function expectSignedBy(process: TestContext, orgId: string): Promise<void> {
  receiver.received.length = 0;
  const [eventId = ''] = await raise(process, orgId);
  await attemptAllDue(process, eventId);
  expect((await readDelivery(ctx, eventId)).status).toBe('succeeded');
  const [request] = receiver.received;
  expect(verifyWebhook(request?.body ?? '', request?.headers['x-service-signature'], SECRET)).toBe(true);
}

test('webhook-secrets rotate encrypts every secret with the first key: deliveries go on, and the old key may go', {
  timeout: 60_000,
}, async () => {
  const { orgId } = await makeTenant(ctx);
  await makeWebhook(ctx, orgId, receiver.url);
  await expectSignedBy(ctx, orgId);
  const both = `${FRESH},${OLD}`;
  await expectSignedBy(startedWith(both), orgId);
  expect(await governorWith(both).governor('webhook-secrets', 'rotate')).toEqual({
    encrypted: 1,
    current: 0,
  });
  expect(await rotateSecretKeys(startedWith(both))).toEqual({ encrypted: 0, current: 1 });
  await expectSignedBy(startedWith(both), orgId);
  await expectSignedBy(startedWith(FRESH), orgId);
  await webhookRows(ctx).deleteMany({});
});

test('a secret whose key is gone is named, and its deliveries wait until the key is back', {
  timeout: 60_000,
}, async () => {
  const { orgId } = await makeTenant(ctx);
  const { _id } = await makeWebhook(startedWith(GONE), orgId, receiver.url);
  const words = `The secret of ${_id} is encrypted with the key "gone", which WEBHOOK_SECRET_KEYS does not have.`;
  const { stderr } = await governorWith(FRESH).failure('webhook-secrets', 'rotate');
  expect(stderr.trim()).toBe(`governor: ${words}`);
  const [eventId = ''] = await raise(ctx, orgId);
  await expect(attemptAllDue(startedWith(FRESH), eventId)).rejects.toThrow(words);
  expect((await readDelivery(ctx, eventId)).status).toBe('pending');
  await attemptAllDue(startedWith(`${FRESH},${GONE}`), eventId);
  expect((await readDelivery(ctx, eventId)).status).toBe('succeeded');
});
