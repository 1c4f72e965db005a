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
import { addMember } from '../../../../../../shared/people/members.ts';
import { commitPlan } from '../../../../../../shared/platform/context/commit-plan.ts';
import { dueRows } from '../../../../../../shared/platform/due/model.ts';
import { alertAdmins, drainWebhook } from '../../../../../../workers/index.ts';
import { sweepOnce } from '../../../../../../workers/sweeper.ts';
import { until } from '../../../../../support/harness.ts';
import { standingStillAfter } from '../../../../../support/interleave.ts';
import { startSmtp } from '../../../../../support/smtp.ts';
import { webhookFixture } from '../../../../../support/webhook-fixture.ts';
import { attemptAllDue, makeWebhook, raise, readDelivery, SECRET } from '../../../../../support/webhooks.ts';

const fixture = webhookFixture();
const { clock } = fixture;

describe('a failing webhook', () => {
  async function exhaust(count = 1): Promise<string[]> {
    fixture.receiver.behave({ status: 410 });
    const events = await raise(fixture.ctx, fixture.orgId, count);
    for (const waitMs of [0, 30_000, 300_000, 1_800_000, 7_200_000]) {
      clock.advance(waitMs);
      await attemptAllDue(fixture.ctx);
    }
    return events;
  }
  async function listed() {
    const [one] = await listWebhooks(fixture.ctx, fixture.orgId);
    if (!one) throw new Error('no webhook');
    return { status: one.webhook.status, enabled: one.webhook.enabled, held: one.held };
  }

  const mailing = (smtpUrl: string) => {
    return {
      ...fixture.ctx,
      config: { ...fixture.ctx.config, smtpUrl, baseUrl: 'https://usage.example.com/' },
    };
  };
  async function setAdmins(...admin_emails: string[]): Promise<void> {
    // As an operator names them.
    await changeOrganization(fixture.ctx, fixture.orgId, { admin_emails });
  }

  it('is marked once when two deliveries fail together, and mails the admins once', async () => {
    const smtp = await startSmtp();
    await setAdmins('admin@example.com');
    const { _id } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    await exhaust(2);
    expect(await listed()).toEqual({ status: 'failing', enabled: true, held: 0 });
    expect(fixture.receiver.received).toHaveLength(10);
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
    const { _id } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const [first = '', late = ''] = await raise(fixture.ctx, fixture.orgId, 2);
    fixture.receiver.behave({ status: 410 });
    for (const waitMs of [0, 30_000, 300_000, 1_800_000]) {
      clock.advance(waitMs);
      await attemptAllDue(fixture.ctx);
    }
    clock.advance(7_200_000);
    // The fifth attempt of one is under way while that of the other exhausts.
    const answer = Promise.withResolvers<void>();
    const { batcher } = fixture.ctx;
    const submit: typeof batcher.submit = async (key, item, batching) => {
      if (key === 'delivery-outcomes') await answer.promise;
      return batcher.submit(key, item, batching);
    };
    const slow = attemptAllDue({ ...fixture.ctx, batcher: { ...batcher, submit } }, late);
    await until(() => fixture.receiver.received.length === 9);
    await attemptAllDue(fixture.ctx, first);
    expect((await readDelivery(fixture.ctx, late)).status).toBe('pending');
    const failing = await webhookRows(fixture.ctx).findOne({ _id });
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    clock.advance(1_000);
    answer.resolve();
    await slow;
    expect((await readDelivery(fixture.ctx, late)).status).toBe('exhausted');
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    expect(smtp.mails).toHaveLength(1);
    const after = await webhookRows(fixture.ctx).findOne({ _id });
    expect(after?.failing_since).toEqual(failing?.failing_since);
    expect(after?.alerted_at).not.toBeNull();
    await smtp.close();
  });

  it('mails again when it was enabled and failed again while the first mail was sent', async () => {
    const { _id } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    let mails = 0;
    const smtp = await startSmtp(async () => {
      mails += 1;
      if (mails === 1) await failAgain(_id);
    });
    await setAdmins('admin@example.com');
    await exhaust();
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    expect(await countUnsentAlerts(fixture.ctx)).toBe(1);
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    expect([smtp.mails.length, await countUnsentAlerts(fixture.ctx)]).toEqual([2, 0]);
    await smtp.close();
  });

  async function failAgain(webhookId: string): Promise<void> {
    await enableWebhook(fixture.ctx, fixture.orgId, webhookId);
    clock.advance(1_000);
    await commitPlan(fixture.ctx, async (transaction) => {
      return { ...(await planFailing(fixture.ctx, webhookId, clock.now(), transaction)), result: undefined };
    });
  }

  it('mails again and again until a server takes it, with waits in between', async () => {
    await setAdmins('admin@example.com');
    const { _id } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    await exhaust();
    const nobody = mailing('smtp://127.0.0.1:1');
    await expect(alertAdmins.handle({ key: _id }, nobody)).rejects.toThrow('ECONNREFUSED');
    const due = await dueRows(fixture.ctx).findOne({ _id: `alert-admins ${_id}` });
    expect(due?.due_at.getTime()).toBeGreaterThan(clock.now());
    expect(await countUnsentAlerts(fixture.ctx)).toBe(1);
    const smtp = await startSmtp();
    await alertAdmins.handle({ key: _id }, mailing(smtp.url));
    expect(smtp.mails).toHaveLength(1);
    expect(await countUnsentAlerts(fixture.ctx)).toBe(0);
    expect(await dueRows(fixture.ctx).countDocuments({ _id: `alert-admins ${_id}` })).toBe(0);
    await smtp.close();
  });

  it('mails no address that nobody has confirmed, and none whose person takes no mails', async () => {
    const smtp = await startSmtp();
    const admin = await addMember(fixture.ctx, {
      org_id: fixture.orgId,
      email: 'admin@example.com',
      role: 'admin',
    });
    const ada = await actingAs(admin._id, () =>
      addMember(fixture.ctx, { org_id: fixture.orgId, email: 'ada@example.com', role: 'admin' }),
    );
    await actingAs(admin._id, () =>
      changeOrganization(fixture.ctx, fixture.orgId, {
        admin_emails: ['ada@example.com', 'stranger@example.com'],
      }),
    );
    const { _id } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    await exhaust();
    const alert = () => alertAdmins.handle({ key: _id }, mailing(smtp.url));
    await alert();
    await confirmEmail(fixture.ctx, ada, { email: 'Ada@example.com', isVerified: true });
    const member = { _id: ada._id };
    await memberRows(fixture.ctx).updateOne(member, { $set: { mails_ended_at: new Date(clock.now()) } });
    await alert();
    expect([smtp.mails.length, await countUnsentAlerts(fixture.ctx)]).toEqual([0, 1]);
    await memberRows(fixture.ctx).updateOne(member, { $unset: { mails_ended_at: true } });
    await alert();
    expect([smtp.mails.length, await countUnsentAlerts(fixture.ctx)]).toEqual([1, 0]);
    expect(smtp.mails[0]).toContain('ada@example.com');
    expect(smtp.mails[0]).not.toContain('stranger@example.com');
    await smtp.close();
  });

  it.each(['no mail server', 'no address'])(
    'keeps the alert while there is %s, and sends it once there is',
    async (missing) => {
      const smtp = await startSmtp();
      const isServerMissing = missing === 'no mail server';
      if (isServerMissing) await setAdmins('admin@example.com');
      const { _id } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
      await exhaust();
      const before = isServerMissing ? fixture.ctx : mailing(smtp.url);
      await alertAdmins.handle({ key: _id }, before);
      await alertAdmins.handle({ key: _id }, before);
      expect(smtp.mails).toHaveLength(0);
      expect(await countUnsentAlerts(fixture.ctx)).toBe(1);
      expect((await listWebhooks(fixture.ctx, fixture.orgId))[0]?.webhook.alerted_at).toBeNull();
      // The sweeper wakes it when it is due again.
      clock.advance(310_000);
      await sweepOnce(fixture.ctx);
      await fixture.ctx.queues.drained();
      const jobs = await fixture.ctx.queues.of('alert-admins').getJobs();
      expect(jobs.map(({ data }) => data)).toContainEqual({ key: _id });
      await setAdmins('admin@example.com');
      await alertAdmins.handle({ key: _id }, mailing(smtp.url));
      expect(smtp.mails).toHaveLength(1);
      expect(await countUnsentAlerts(fixture.ctx)).toBe(0);
      expect((await listWebhooks(fixture.ctx, fixture.orgId))[0]?.webhook.alerted_at).toEqual(
        new Date(clock.now()),
      );
      await smtp.close();
    },
  );

  it('holds what is unfinished and what is new, and sends it in order once it is enabled, each from attempt 1', async () => {
    const { _id } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    const unfinished = await raise(fixture.ctx, fixture.orgId, 3);
    clock.advance(60_000);
    const [exhausted = ''] = await exhaustBeside(unfinished);
    await drainWebhook.handle({ key: _id }, fixture.ctx);
    const during: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      during.push(...(await raise(fixture.ctx, fixture.orgId, 2)));
      clock.advance(1);
    }
    expect(await attemptAllDue(fixture.ctx)).toBe(0);
    expect((await listed()).held).toBe(13);
    fixture.receiver.received.length = 0;
    fixture.receiver.behave({ status: 200 });
    await enableWebhook(fixture.ctx, fixture.orgId, _id);
    await enableWebhook(fixture.ctx, fixture.orgId, _id);
    await drainWebhook.handle({ key: _id }, fixture.ctx);
    const ids = fixture.receiver.received.map(({ event }) => event.id);
    expect(ids).toEqual([...unfinished, ...during]);
    expect(fixture.receiver.received.every(({ headers }) => headers['x-service-attempt'] === '1')).toBe(true);
    expect(await listed()).toEqual({ status: 'active', enabled: true, held: 0 });
    expect((await readDelivery(fixture.ctx, exhausted)).status).toBe('exhausted');
    const statuses = await Promise.all(ids.map(async (id) => (await readDelivery(fixture.ctx, id)).status));
    expect(new Set(statuses)).toEqual(new Set(['succeeded']));
  });

  /** Four attempts of these have failed when another event exhausts the webhook. */
  async function exhaustBeside(unfinished: string[]): Promise<string[]> {
    await queuedDeliveryRows(fixture.ctx).updateMany(
      { webhook_id: (await readDelivery(fixture.ctx, unfinished[0] ?? '')).webhook_id, state: 'pending' },
      { $set: { at: clock.now() + 10_000_000 } },
    );
    return exhaust();
  }

  it('is held nothing of by a transaction that began before it was enabled', async () => {
    const { _id } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    await exhaust();
    fixture.receiver.behave({ status: 200 });
    const enable = async () => {
      await enableWebhook(fixture.ctx, fixture.orgId, _id);
      await drainWebhook.handle({ key: _id }, fixture.ctx);
    };
    const [late = ''] = await raise(standingStillAfter(fixture.ctx, webhookRows, enable), fixture.orgId);
    expect(await dueRows(fixture.ctx).countDocuments({ _id: `drain-webhook ${_id}` })).toBe(0);
    expect((await readDelivery(fixture.ctx, late)).status).toBe('pending');
    await attemptAllDue(fixture.ctx);
    expect((await readDelivery(fixture.ctx, late)).status).toBe('succeeded');
  });

  it('fails again when the held ones fail again, and keeps them', async () => {
    const { _id } = await makeWebhook(fixture.ctx, fixture.orgId, fixture.receiver.url);
    await exhaust();
    const held = await raise(fixture.ctx, fixture.orgId, 2);
    await enableWebhook(fixture.ctx, fixture.orgId, _id);
    await drainWebhook.handle({ key: _id }, fixture.ctx);
    expect(await listed()).toMatchObject({ status: 'active', held: 0 });
    for (const waitMs of [30_000, 300_000, 1_800_000, 7_200_000]) {
      clock.advance(waitMs);
      await attemptAllDue(fixture.ctx);
    }
    expect((await listed()).status).toBe('failing');
    const statuses = await Promise.all(held.map(async (id) => (await readDelivery(fixture.ctx, id)).status));
    expect(new Set(statuses)).toEqual(new Set(['exhausted']));
  });
});
