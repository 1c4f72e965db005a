import { describe, expect, it } from 'vitest';
import { actingAs } from '../../../../../../shared/core/accounts/audit/record-audit.ts';
import { confirmEmail } from '../../../../../../shared/core/accounts/identity/confirm-email.ts';
import { memberRows } from '../../../../../../shared/core/accounts/organizations/model.ts';
import { countUnsentAlerts } from '../../../../../../shared/core/events/webhooks/deliveries/failing-webhook.ts';
import { listWebhooks } from '../../../../../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { enableWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { planFailing } from '../../../../../../shared/core/events/webhooks/endpoints/plan-change.ts';
import { changeOrganization } from '../../../../../../shared/people/change-organization.ts';
import { commitPlan } from '../../../../../../shared/platform/context/commit-plan.ts';
import { dueRows } from '../../../../../../shared/platform/due/model.ts';
import { alertAdmins, drainWebhook } from '../../../../../../workers/index.ts';
import { sweepOnce } from '../../../../../../workers/sweeper.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { until } from '../../../../../support/harness.ts';
import { standingStillAfter } from '../../../../../support/interleave.ts';
import { startSmtp } from '../../../../../support/smtp.ts';
import { attemptAllDue, raise, readDelivery, SECRET } from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;

describe('a failing webhook', () => {
  async function exhaust(count = 1): Promise<string[]> {
    fx.receiver.behave({ status: 410 });
    const events = await raise(ctx, fx.orgId, count);
    for (const waitMs of [0, 30_000, 300_000, 1_800_000, 7_200_000]) {
      clock.advance(waitMs);
      await attemptAllDue(ctx);
    }
    return events;
  }
  async function listed() {
    const [one] = await listWebhooks(ctx, fx.orgId);
    if (!one) throw new Error('no webhook');
    return { status: one.webhook.status, enabled: one.webhook.enabled, held: one.held };
  }

  const mailing = (smtpUrl: string) => ({
    ...ctx,
    config: { ...ctx.config, smtpUrl, baseUrl: 'https://usage.example.com/' },
  });
  /** As an operator names them. */
  const setAdmins = (...admin_emails: string[]) => changeOrganization(ctx, fx.orgId, { admin_emails });

  it('is marked once when two deliveries fail together, and mails the admins once', async () => {
    const smtp = await startSmtp();
    await setAdmins('admin@example.com');
    const { _id } = await fx.webhook(fx.receiver.url);
    await exhaust(2);
    expect(await listed()).toEqual({ status: 'failing', enabled: true, held: 0 });
    expect(fx.receiver.received).toHaveLength(10);
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    expect(smtp.mails).toHaveLength(1);
    const mail = smtp.mails[0]?.replace(/=\r?\n/g, '');
    expect(mail).toContain(`https://usage.example.com/dashboard/webhooks/${_id}`);
    expect(smtp.mails[0]).toContain('admin@example.com');
    expect(smtp.mails[0]).not.toContain(SECRET);
    await smtp.close();
  });

  it('is marked once when another delivery exhausts after the admins were told: one mail, one time since', async () => {
    const smtp = await startSmtp();
    await setAdmins('admin@example.com');
    const { _id } = await fx.webhook(fx.receiver.url);
    const [first = '', late = ''] = await raise(ctx, fx.orgId, 2);
    fx.receiver.behave({ status: 410 });
    for (const waitMs of [0, 30_000, 300_000, 1_800_000]) {
      clock.advance(waitMs);
      await attemptAllDue(ctx);
    }
    clock.advance(7_200_000);
    // The fifth attempt of one is under way while that of the other exhausts.
    const answer = Promise.withResolvers<void>();
    const { batcher } = ctx;
    const submit: typeof batcher.submit = async (key, item, batching) => {
      if (key === 'delivery-outcomes') await answer.promise;
      return batcher.submit(key, item, batching);
    };
    const slow = attemptAllDue({ ...ctx, batcher: { ...batcher, submit } }, late);
    await until(() => fx.receiver.received.length === 9);
    await attemptAllDue(ctx, first);
    expect((await readDelivery(ctx, late)).status).toBe('pending');
    const failing = await webhookRows(ctx).findOne({ _id });
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    clock.advance(1_000);
    answer.resolve();
    await slow;
    expect((await readDelivery(ctx, late)).status).toBe('exhausted');
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    expect(smtp.mails).toHaveLength(1);
    const after = await webhookRows(ctx).findOne({ _id });
    expect(after?.failing_since).toEqual(failing?.failing_since);
    expect(after?.alerted_at).not.toBeNull();
    await smtp.close();
  });

  it('mails again when it was enabled and failed again while the first mail was sent', async () => {
    const { _id } = await fx.webhook(fx.receiver.url);
    let mails = 0;
    const smtp = await startSmtp(async () => {
      mails += 1;
      if (mails === 1) await failAgain(_id);
    });
    await setAdmins('admin@example.com');
    await exhaust();
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    expect(await countUnsentAlerts(ctx)).toBe(1);
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    expect([smtp.mails.length, await countUnsentAlerts(ctx)]).toEqual([2, 0]);
    await smtp.close();
  });

  async function failAgain(webhookId: string): Promise<void> {
    await enableWebhook(ctx, fx.orgId, webhookId);
    clock.advance(1_000);
    await commitPlan(ctx, async (transaction) => ({
      ...(await planFailing(ctx, webhookId, clock.now(), transaction)),
      result: undefined,
    }));
  }

  it('mails again and again until a server takes it, with waits in between', async () => {
    await setAdmins('admin@example.com');
    const { _id } = await fx.webhook(fx.receiver.url);
    await exhaust();
    const nobody = mailing('smtp://127.0.0.1:1');
    // More often than mails may go to one mailbox within an hour: a mail that nobody took uses up none of them.
    for (let attempt = 0; attempt < 21; attempt += 1)
      await expect(alertAdmins.handle({ key: _id }, nobody)).rejects.toThrow('ECONNREFUSED');
    const due = await dueRows(ctx).findOne({ _id: `alert-admins ${_id}` });
    expect(due?.due_at.getTime()).toBeGreaterThan(clock.now());
    expect(await countUnsentAlerts(ctx)).toBe(1);
    const smtp = await startSmtp();
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    expect(smtp.mails).toHaveLength(1);
    expect(await countUnsentAlerts(ctx)).toBe(0);
    expect(await dueRows(ctx).countDocuments({ _id: `alert-admins ${_id}` })).toBe(0);
    await smtp.close();
  });

  it('mails no address that nobody has confirmed, and none whose person takes no mails', async () => {
    const smtp = await startSmtp();
    const admin = await fx.member('admin', { role: 'admin' });
    const ada = await actingAs(admin._id, () => fx.member('ada', { role: 'admin' }));
    await actingAs(admin._id, () => setAdmins('ada@example.org', 'stranger@example.org'));
    const { _id } = await fx.webhook(fx.receiver.url);
    await exhaust();
    const alert = () => alertAdmins.handle({ key: _id }, mailing(smtp.url));
    await alert();
    await confirmEmail(ctx, ada, { email: 'Ada@example.org', isVerified: true });
    const member = { _id: ada._id };
    await memberRows(ctx).updateOne(member, { $set: { mails_ended_at: new Date(clock.now()) } });
    await alert();
    expect([smtp.mails.length, await countUnsentAlerts(ctx)]).toEqual([0, 1]);
    await memberRows(ctx).updateOne(member, { $unset: { mails_ended_at: true } });
    await alert();
    expect([smtp.mails.length, await countUnsentAlerts(ctx)]).toEqual([1, 0]);
    expect(smtp.mails[0]).toContain('ada@example.org');
    expect(smtp.mails[0]).not.toContain('stranger@example.org');
    await smtp.close();
  });

  it.each([
    ['has not confirmed it', { $unset: { email_confirmed: true } }],
    ['takes no mails', { $set: { mails_ended_at: new Date(0) } }],
    ['has declined', { $set: { declined_at: new Date(0) } }],
    ['was removed', { $set: { removed_at: new Date(0) } }],
  ] as const)(
    'mails no address whose person %s, also where an operator named it before',
    async (_, state) => {
      const smtp = await startSmtp();
      const { _id: ada } = await fx.member('ada', { role: 'admin' });
      await setAdmins('ada@example.org', 'ops@example.org');
      await memberRows(ctx).updateOne({ _id: ada }, state);
      const { _id } = await fx.webhook(fx.receiver.url);
      await exhaust();
      await alertAdmins.handle({ key: _id }, mailing(smtp.url));
      expect(smtp.mails).toHaveLength(1);
      expect(smtp.mails[0]).toContain('ops@example.org');
      expect(smtp.mails[0]).not.toContain('ada@example.org');
      await smtp.close();
    },
  );

  it.each(['no mail server', 'no address'])(
    'keeps the alert while there is %s, and sends it once there is',
    async (missing) => {
      const smtp = await startSmtp();
      const isServerMissing = missing === 'no mail server';
      if (isServerMissing) await setAdmins('admin@example.com');
      const { _id } = await fx.webhook(fx.receiver.url);
      await exhaust();
      const before = isServerMissing ? ctx : mailing(smtp.url);
      await alertAdmins.handle({ key: _id }, before);
      await alertAdmins.handle({ key: _id }, before);
      expect(smtp.mails).toHaveLength(0);
      expect(await countUnsentAlerts(ctx)).toBe(1);
      expect((await listWebhooks(ctx, fx.orgId))[0]?.webhook.alerted_at).toBeNull();
      // The sweeper wakes it when it is due again.
      clock.advance(310_000);
      await sweepOnce(ctx);
      await ctx.queues.drained();
      const jobs = await ctx.queues.of('alert-admins').getJobs();
      expect(jobs.map(({ data }) => data)).toContainEqual({ key: _id });
      await setAdmins('admin@example.com');
      await alertAdmins.handle({ key: _id }, mailing(smtp.url));
      expect(smtp.mails).toHaveLength(1);
      expect(await countUnsentAlerts(ctx)).toBe(0);
      expect((await listWebhooks(ctx, fx.orgId))[0]?.webhook.alerted_at).toEqual(new Date(clock.now()));
      await smtp.close();
    },
  );

  it('holds what is unfinished and what is new, and sends it in order once it is enabled, each from attempt 1', async () => {
    const { _id } = await fx.webhook(fx.receiver.url);
    const unfinished = await raise(ctx, fx.orgId, 3);
    clock.advance(60_000);
    const [exhausted = ''] = await exhaustBeside(unfinished);
    await drainWebhook.handle({ key: _id }, ctx);
    const during: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      during.push(...(await raise(ctx, fx.orgId, 2)));
      clock.advance(1);
    }
    expect(await attemptAllDue(ctx)).toBe(0);
    expect((await listed()).held).toBe(13);
    fx.receiver.received.length = 0;
    fx.receiver.behave({ status: 200 });
    await enableWebhook(ctx, fx.orgId, _id);
    await enableWebhook(ctx, fx.orgId, _id);
    await drainWebhook.handle({ key: _id }, ctx);
    const ids = fx.receiver.received.map(({ event }) => event.id);
    expect(ids).toEqual([...unfinished, ...during]);
    expect(fx.receiver.received.every(({ headers }) => headers['x-service-attempt'] === '1')).toBe(true);
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

  it('is held nothing of by a transaction that began before it was enabled', async () => {
    const { _id } = await fx.webhook(fx.receiver.url);
    await exhaust();
    fx.receiver.behave({ status: 200 });
    const enable = async () => {
      await enableWebhook(ctx, fx.orgId, _id);
      await drainWebhook.handle({ key: _id }, ctx);
    };
    const [late = ''] = await raise(standingStillAfter(ctx, webhookRows, enable), fx.orgId);
    expect(await dueRows(ctx).countDocuments({ _id: `drain-webhook ${_id}` })).toBe(0);
    expect((await readDelivery(ctx, late)).status).toBe('pending');
    await attemptAllDue(ctx);
    expect((await readDelivery(ctx, late)).status).toBe('succeeded');
  });

  it('fails again when the held ones fail again, and keeps them', async () => {
    const { _id } = await fx.webhook(fx.receiver.url);
    await exhaust();
    const held = await raise(ctx, fx.orgId, 2);
    await enableWebhook(ctx, fx.orgId, _id);
    await drainWebhook.handle({ key: _id }, ctx);
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
