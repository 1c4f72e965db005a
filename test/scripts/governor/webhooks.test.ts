import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook } from 'usage-governor/verify';
import { afterEach, expect, test } from 'vitest';
import { queuedDeliveryRows } from '../../../shared/core/events/webhooks/deliveries/model.ts';
import { decryptSecret } from '../../../shared/core/events/webhooks/endpoints/encrypt-secret.ts';
import { webhookRows } from '../../../shared/core/events/webhooks/endpoints/model.ts';
import { updateWebhook } from '../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import { readReadiness } from '../../../shared/platform/context/readiness.ts';
import { WARNINGS } from '../../../shared/tables/warnings.ts';
import { addCodeHost } from '../../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import { codeHostRows } from '../../../shared/wings/work/code-hosts/model.ts';
import { commandLine } from '../../support/command-line.ts';
import { storesFixture } from '../../support/fixture.ts';
import type { TestContext } from '../../support/harness.ts';
import { attemptAllDue, makeWebhook, raise, readDelivery, SECRET } from '../../support/webhooks.ts';

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const FRESH = `fresh:${Buffer.alloc(32, 2).toString('base64')}`;
const GONE = `gone:${Buffer.alloc(32, 3).toString('base64')}`;

const { ctx, env, receiver, tenant } = await storesFixture({
  receiver: true,
  env: { WEBHOOK_SECRET_KEYS: OLD },
});

/** The same data, as a process that was started with these keys. */
function startedWith(keys: string): TestContext {
  return { ...ctx, config: { ...ctx.config, webhookSecretKeys: keys } };
}

const governorWith = (keys: string) => commandLine({ ...env, WEBHOOK_SECRET_KEYS: keys });
const { governor } = governorWith(OLD);
afterEach(() => webhookRows(ctx).deleteMany({}));

/** The request of a new delivery. */
async function deliver(process: TestContext, orgId: string) {
  receiver.received.length = 0;
  const [eventId = ''] = await raise(process, orgId);
  await attemptAllDue(process, eventId);
  expect((await readDelivery(ctx, eventId)).status).toBe('succeeded');
  return receiver.received[0];
}

async function expectSignedBy(process: TestContext, orgId: string): Promise<void> {
  const request = await deliver(process, orgId);
  expect(verifyWebhook(request?.body ?? '', request?.headers['x-service-signature'], SECRET)).toBe(true);
}

test('webhook-secrets rotate encrypts every secret with the first key, also of code hosts: deliveries go on, and the old key may go', async () => {
  const { orgId } = await tenant();
  await makeWebhook(ctx, orgId, receiver.url);
  const { host, secret } = await addCodeHost(ctx, orgId, { provider: 'bitbucket' });
  await expectSignedBy(ctx, orgId);
  const both = `${FRESH},${OLD}`;
  await expectSignedBy(startedWith(both), orgId);
  const rotate = () => governorWith(both).governor('webhook-secrets', 'rotate');
  expect(await rotate()).toEqual({ encrypted: 2, current: 0 });
  expect(await rotate()).toEqual({ encrypted: 0, current: 2 });
  const row = await codeHostRows(ctx).findOne({ _id: host._id });
  expect(decryptSecret(startedWith(FRESH).config, host._id, row?.secret ?? '')).toBe(secret);
  await codeHostRows(ctx).deleteMany({});
  await expectSignedBy(startedWith(both), orgId);
  await expectSignedBy(startedWith(FRESH), orgId);
});

test('a secret whose key is gone is named and stops no other, and its deliveries wait until the key is back', async () => {
  const { orgId } = await tenant();
  const { _id } = await makeWebhook(startedWith(GONE), orgId, receiver.url);
  await makeWebhook(ctx, orgId, 'http://127.0.0.1:1/', ['session.ended']);
  const words = `The secret of ${_id} is encrypted with the key "gone", which WEBHOOK_SECRET_KEYS does not have.`;
  const { stderr } = await governorWith(`${FRESH},${OLD}`).failure('webhook-secrets', 'rotate');
  expect(stderr.trim()).toBe(`governor: ${words}`);
  // That of the webhook after it is done all the same.
  expect(await webhookRows(ctx).countDocuments({ secret: /^v1\.fresh\./ })).toBe(1);
  const [eventId = ''] = await raise(ctx, orgId);
  await expect(attemptAllDue(startedWith(FRESH), eventId)).rejects.toThrow(words);
  expect((await readDelivery(ctx, eventId)).status).toBe('pending');
  await attemptAllDue(startedWith(`${FRESH},${GONE}`), eventId);
  expect((await readDelivery(ctx, eventId)).status).toBe('succeeded');
});

test('the former secret of a webhook is encrypted again too, and still signs', async () => {
  const { orgId } = await tenant();
  const { _id } = await makeWebhook(ctx, orgId, receiver.url);
  const fresh = 'another-secret-of-32-characters-!';
  await updateWebhook(ctx, orgId, _id, { secret: fresh });
  await governorWith(`${FRESH},${OLD}`).governor('webhook-secrets', 'rotate');
  const request = await deliver(startedWith(FRESH), orgId);
  const headers = request?.headers as Record<string, string>;
  for (const secret of [fresh, SECRET]) {
    const library = new StandardWebhook(secret, { format: 'raw' });
    expect(library.verify(request?.body ?? '', headers)).toEqual(request?.event);
  }
});

test('webhook list shows all webhooks, the failing ones or those of one organization, and /readyz warns of those whose admins were not told', async () => {
  const { orgId } = await tenant();
  const active = await makeWebhook(ctx, orgId, receiver.url);
  const { _id } = await makeWebhook(ctx, orgId, receiver.url);
  const other = await makeWebhook(ctx, (await tenant()).orgId, receiver.url);
  expect((await readReadiness(ctx, WARNINGS)).status).toBe('ready');
  const failing_since = new Date(ctx.clock.now());
  await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing', failing_since } });
  const warning = '1 failing webhook, and the admins were not told (governor webhook list --failing)';
  expect(await readReadiness(ctx, WARNINGS)).toMatchObject({ status: 'degraded', warnings: [warning] });
  const list = async (...args: string[]) =>
    (await governor('webhook', 'list', ...args)).webhooks.map((of: { webhook_id: string }) => of.webhook_id);
  expect(await list('--failing')).toEqual([_id]);
  expect(await list()).toEqual([active._id, _id, other._id]);
  expect(await list('--org', orgId)).toEqual([active._id, _id]);
  await webhookRows(ctx).updateOne({ _id }, { $set: { alerted_at: failing_since } });
  expect((await readReadiness(ctx, WARNINGS)).status).toBe('ready');
});

test('webhook list says of each whether it is paused, what it holds, and how its last attempt failed', async () => {
  const { orgId } = await tenant();
  const { _id } = await makeWebhook(ctx, orgId, receiver.url);
  receiver.behave({ status: 500 });
  await raise(ctx, orgId);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await queuedDeliveryRows(ctx).updateMany({}, { $set: { at: 0 } });
    await attemptAllDue(ctx);
  }
  const listed = async () => (await governor('webhook', 'list', '--org', orgId)).webhooks[0];
  expect(await listed()).toMatchObject({ state: 'failing', held: 0, last_error: 'HTTP 500' });
  // A held delivery has no attempt: the last one that was given up says why.
  await raise(ctx, orgId);
  expect(await listed()).toMatchObject({ state: 'failing', held: 1, last_error: 'HTTP 500' });
  await updateWebhook(ctx, orgId, _id, { enabled: false, name: 'Archive' });
  await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'active', failing_since: null } });
  expect(await listed()).toMatchObject({ name: 'Archive', state: 'paused', held: 1 });
  await webhookRows(ctx).updateOne({ _id }, { $set: { format: 'email' } });
  expect(await listed()).toMatchObject({ last_error: 'SMTP 500' });
  receiver.behave({ status: 200 });
});
