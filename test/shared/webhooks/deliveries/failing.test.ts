import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { organizationRows } from '../../../../shared/organizations/model.ts';
import { listWebhooks } from '../../../../shared/webhooks/deliveries/list-webhooks.ts';
import { queuedDeliveryRows } from '../../../../shared/webhooks/deliveries/model.ts';
import { enableWebhook } from '../../../../shared/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../../../shared/webhooks/endpoints/model.ts';
import { webhookTaskRows } from '../../../../shared/webhooks/endpoints/tasks.ts';
import { alertAdmins, drainWebhook, holdWebhook } from '../../../../workers/index.ts';
import { makeTenant } from '../../../support/factories.ts';
import { createTestClock, openTestContext, type TestContext } from '../../../support/harness.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';
import { startSmtp } from '../../../support/smtp.ts';
import { attemptAllDue, makeWebhook, raise, readDelivery, SECRET } from '../../../support/webhooks.ts';

const START = Date.parse('2026-11-21T12:00:00.000Z');
const clock = createTestClock(START);
let ctx: TestContext;
let receiver: Receiver;
let orgId: string;
beforeAll(async () => {
  ctx = await openTestContext({ clock });
});
beforeEach(async () => {
  receiver = await startReceiver();
  ({ orgId } = await makeTenant(ctx));
});
afterEach(() => receiver.close());
afterAll(() => ctx.close());

describe('a failing webhook', () => {
  async function exhaust(count = 1): Promise<string[]> {
    receiver.behave({ status: 410 });
    const events = await raise(ctx, orgId, count);
    for (const waitMs of [0, 30_000, 300_000, 1_800_000, 7_200_000]) {
      clock.advance(waitMs);
      await attemptAllDue(ctx);
    }
    return events;
  }
  async function listed() {
    const [one] = await listWebhooks(ctx, orgId);
    if (!one) throw new Error('no webhook');
    return { status: one.webhook.status, enabled: one.webhook.enabled, held: one.held };
  }

  it('is marked once when two deliveries fail together, and mails the admins once', async () => {
    const smtp = await startSmtp();
    const mailing = { ...ctx, config: { ...ctx.config, smtpUrl: smtp.url } };
    await organizationRows(ctx).updateOne({ _id: orgId }, { $set: { admin_emails: ['admin@example.com'] } });
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    await exhaust(2);
    expect(await listed()).toEqual({ status: 'failing', enabled: true, held: 0 });
    expect(receiver.received).toHaveLength(10);
    await alertAdmins.handle({ webhook_id: _id }, mailing);
    await alertAdmins.handle({ webhook_id: _id }, mailing);
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]).toContain(_id);
    expect(smtp.mails[0]).toContain('admin@example.com');
    expect(smtp.mails[0]).not.toContain(SECRET);
    await smtp.close();
  });

  it('tries the mail again until a server takes it', async () => {
    const mailing = { ...ctx, config: { ...ctx.config, smtpUrl: 'smtp://127.0.0.1:1' } };
    await organizationRows(ctx).updateOne({ _id: orgId }, { $set: { admin_emails: ['admin@example.com'] } });
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    await exhaust();
    await alertAdmins.handle({ webhook_id: _id }, mailing);
    const task = await webhookTaskRows(ctx).findOne({ _id: `alert-admins ${_id}` });
    expect(task?.due_at).toEqual(new Date(clock.now() + 60_000));
    const smtp = await startSmtp();
    await alertAdmins.handle({ webhook_id: _id }, { ...ctx, config: { ...ctx.config, smtpUrl: smtp.url } });
    expect(smtp.mails).toHaveLength(1);
    await smtp.close();
  });

  it('holds what is unfinished and what is new, and sends it in order once it is enabled, each from attempt 1', async () => {
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    const unfinished = await raise(ctx, orgId, 3);
    clock.advance(60_000);
    const [exhausted = ''] = await exhaustBeside(unfinished);
    await holdWebhook.handle({ webhook_id: _id }, ctx);
    const during: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      during.push(...(await raise(ctx, orgId, 2)));
      clock.advance(1);
    }
    expect(await attemptAllDue(ctx)).toBe(0);
    expect((await listed()).held).toBe(13);
    receiver.received.length = 0;
    receiver.behave({ status: 200 });
    await enableWebhook(ctx, orgId, _id);
    await enableWebhook(ctx, orgId, _id);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    const ids = receiver.received.map(({ event }) => event.id);
    expect(ids).toEqual([...unfinished, ...during]);
    expect(receiver.received.every(({ headers }) => headers['x-service-attempt'] === '1')).toBe(true);
    expect(await listed()).toEqual({ status: 'active', enabled: true, held: 0 });
    expect((await readDelivery(ctx, exhausted)).status).toBe('exhausted');
    const statuses = await Promise.all(ids.map(async (id) => (await readDelivery(ctx, id)).status));
    expect(new Set(statuses)).toEqual(new Set(['succeeded']));
  });

  /** Four attempts of these have failed when another event exhausts the webhook. */
  async function exhaustBeside(unfinished: string[]): Promise<string[]> {
    await queuedDeliveryRows(ctx).updateMany(
      { webhook_id: (await readDelivery(ctx, unfinished[0] ?? '')).webhook_id, state: 'pending' },
      { $set: { at: clock.now() + 10_000_000 } },
    );
    return exhaust();
  }

  it('also sends what a transaction held that began before it was enabled', async () => {
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    await exhaust();
    receiver.behave({ status: 200 });
    await enableWebhook(ctx, orgId, _id);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
    const [late = ''] = await raise(ctx, orgId);
    await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'active' } });
    clock.advance(120_000);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    expect((await readDelivery(ctx, late)).status).toBe('succeeded');
    expect(await webhookTaskRows(ctx).countDocuments({ _id: `drain-webhook ${_id}` })).toBe(0);
  });

  it('fails again when the held ones fail again, and keeps them', async () => {
    const { _id } = await makeWebhook(ctx, orgId, receiver.url);
    await exhaust();
    const held = await raise(ctx, orgId, 2);
    await enableWebhook(ctx, orgId, _id);
    await drainWebhook.handle({ webhook_id: _id }, ctx);
    expect(await listed()).toMatchObject({ status: 'active', held: 0 });
    for (const waitMs of [30_000, 300_000, 1_800_000, 7_200_000]) {
      clock.advance(waitMs);
      await attemptAllDue(ctx);
    }
    expect((await listed()).status).toBe('failing');
    const statuses = await Promise.all(held.map(async (id) => (await readDelivery(ctx, id)).status));
    expect(new Set(statuses)).toEqual(new Set(['exhausted']));
  });
});
