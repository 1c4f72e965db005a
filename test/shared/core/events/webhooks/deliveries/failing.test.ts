import { beforeEach, describe, expect, it } from 'vitest';
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
import { beforeBatches, standingStillAfter } from '../../../../../support/interleave.ts';
import { bodyOf, plainMail, startSmtp } from '../../../../../support/smtp.ts';
import { attemptAllDue, raise, readDelivery, SECRET, statusesOf } from '../../../../../support/webhooks.ts';

/** Before each of the five attempts. */
const WAITS_MS = [0, 30_000, 300_000, 1_800_000, 7_200_000];
const ADMIN = 'admin@example.com';
/** The fifth attempt, 2 h 35 min 30 s after the first. */
const TOLD_AT = '21 Nov, 14:35 UTC';
const fx = await storesFixture({
  clock: '2026-11-21T12:00:00Z',
  receiver: true,
  smtp: true,
  perTest: true,
});
const { ctx, clock, smtp } = fx;
let webhookId: string;
beforeEach(async () => {
  ({ _id: webhookId } = await fx.webhook(fx.receiver.url));
  await setAdmins(ADMIN);
});

/** As an operator names them. */
const setAdmins = (...admin_emails: string[]) => changeOrganization(ctx, fx.orgId, { admin_emails });
const through = (smtpUrl: string | undefined) => ({ ...ctx, config: { ...ctx.config, smtpUrl } });
const alert = (by = ctx) => alertAdmins.handle({ key: webhookId }, by);
const enable = () => enableWebhook(ctx, fx.orgId, webhookId);
const drain = () => drainWebhook.handle({ key: webhookId }, ctx);

async function attemptAfter(waitsMs: readonly number[]): Promise<void> {
  for (const waitMs of waitsMs) {
    clock.advance(waitMs);
    await attemptAllDue(ctx);
  }
}

async function exhaust(count = 1): Promise<string[]> {
  fx.receiver.behave({ status: 410 });
  const events = await raise(ctx, fx.orgId, count);
  await attemptAfter(WAITS_MS);
  return events;
}

async function listed() {
  const [one] = await listWebhooks(ctx, fx.orgId);
  if (!one) throw new Error('no webhook');
  const { status, enabled, alerted_at } = one.webhook;
  return { status, enabled, alerted_at, held: one.held };
}

const expectMailed = async (mails: number, unsent: number) =>
  expect([smtp.mails.length, await countUnsentAlerts(ctx)]).toEqual([mails, unsent]);

describe('a failing webhook', () => {
  it('is marked once when two deliveries fail together, and mails the admins once', async () => {
    await exhaust(2);
    expect(await listed()).toMatchObject({ status: 'failing', enabled: true, held: 0 });
    expect(fx.receiver.received).toHaveLength(10);
    await alert();
    await alert();
    await expectMailed(1, 0);
    const mail = plainMail(smtp.mails[0]);
    expect(mail).toContain(`To: ${ADMIN}`);
    expect(bodyOf(mail).trim().split('\n')).toEqual([
      `A delivery to the webhook ${webhookId} (${new URL(fx.receiver.url).host}) has failed its fifth attempt at ${TOLD_AT}.`,
      '',
      'Its deliveries are held since then: nothing is lost, and nothing is sent until it is enabled again.',
      `Once the endpoint answers, an admin enables it in the dashboard, ${ctx.config.baseUrl}/dashboard/webhooks/${webhookId}`,
      `or an operator by governor webhook enable ${webhookId}`,
      'Held deliveries are then sent in order.',
    ]);
    expect(mail).not.toContain(SECRET);
  });

  it('is marked once when another delivery exhausts after the admins were told: one mail, one time since', async () => {
    const [first = '', late = ''] = await raise(ctx, fx.orgId, 2);
    fx.receiver.behave({ status: 410 });
    await attemptAfter(WAITS_MS.slice(0, 4));
    clock.advance(7_200_000);
    // The fifth attempt of one is under way while that of the other exhausts.
    const answer = Promise.withResolvers<void>();
    const slow = beforeBatches(ctx, (key) => key === 'delivery-outcomes' && answer.promise);
    const attempt = attemptAllDue(slow, late);
    await until(() => fx.receiver.received.length === 9);
    await attemptAllDue(ctx, first);
    expect(await statusesOf(ctx, [first, late])).toEqual(['exhausted', 'pending']);
    const failing = await webhookRows(ctx).findOne({ _id: webhookId });
    await alert();
    clock.advance(1_000);
    answer.resolve();
    await attempt;
    expect(await statusesOf(ctx, [late])).toEqual(['exhausted']);
    await alert();
    await expectMailed(1, 0);
    const { failing_since } = failing ?? {};
    const alerted_at = expect.any(Date);
    expect(await webhookRows(ctx).findOne({ _id: webhookId })).toMatchObject({ failing_since, alerted_at });
  });

  it('mails again when it was enabled and failed again while the first mail was sent', async () => {
    const failAgain = async () => {
      await enable();
      clock.advance(1_000);
      await commitPlan(ctx, async (transaction) => ({
        ...(await planFailing(ctx, webhookId, clock.now(), transaction)),
        result: undefined,
      }));
    };
    const slow = await startSmtp(failAgain);
    await exhaust();
    await alert(through(slow.url));
    await expectMailed(0, 1);
    await alert();
    await expectMailed(1, 0);
    expect(slow.mails).toHaveLength(1);
    await slow.close();
  });

  it('mails again and again until a server takes it, with waits in between', async () => {
    await exhaust();
    // More often than mails may go to one mailbox within an hour: a mail that nobody took uses up none of them.
    for (let attempt = 0; attempt < 21; attempt += 1)
      await expect(alert(through('smtp://127.0.0.1:1'))).rejects.toThrow('ECONNREFUSED');
    const due = await dueRows(ctx).findOne({ _id: `alert-admins ${webhookId}` });
    expect(due?.due_at.getTime()).toBeGreaterThan(clock.now());
    await expectMailed(0, 1);
    await alert();
    await expectMailed(1, 0);
    expect(await dueRows(ctx).countDocuments({ _id: `alert-admins ${webhookId}` })).toBe(0);
  });

  it('mails no address that an admin has named and nobody has confirmed, until its person does', async () => {
    const admin = await fx.member('admin', { role: 'admin' });
    const ada = await actingAs(admin._id, () => fx.member('ada', { role: 'admin' }));
    await actingAs(admin._id, () => setAdmins('ada@example.org', 'stranger@example.org'));
    await exhaust();
    await alert();
    await expectMailed(0, 1);
    await confirmEmail(ctx, ada, { email: 'Ada@example.org', isVerified: true });
    await alert();
    await expectMailed(1, 0);
    expect(smtp.mails[0]).toContain('ada@example.org');
    expect(smtp.mails[0]).not.toContain('stranger@example.org');
  });

  it.each([
    ['has not confirmed it', { $unset: { email_confirmed: true } }],
    ['takes no mails', { $set: { mails_ended_at: new Date(0) } }],
    ['has declined', { $set: { declined_at: new Date(0) } }],
    ['was removed', { $set: { removed_at: new Date(0) } }],
  ] as const)(
    'mails no address whose person %s, also where an operator named it before',
    async (_, state) => {
      const { _id } = await fx.member('ada', { role: 'admin' });
      await setAdmins('ada@example.org', 'ops@example.org');
      await memberRows(ctx).updateOne({ _id }, state);
      await exhaust();
      await alert();
      await expectMailed(1, 0);
      expect(smtp.mails[0]).toContain('ops@example.org');
      expect(smtp.mails[0]).not.toContain('ada@example.org');
    },
  );

  it.each([
    ['no mail server', [ADMIN], through(undefined)],
    ['no address', [], ctx],
  ])('keeps the alert while there is %s, and sends it once there is', async (_, admins, before) => {
    await setAdmins(...admins);
    await exhaust();
    await alert(before);
    await alert(before);
    await expectMailed(0, 1);
    expect((await listed()).alerted_at).toBeNull();
    // The sweeper wakes it when it is due again.
    clock.advance(310_000);
    await sweepOnce(ctx);
    await ctx.queues.drained();
    const jobs = await ctx.queues.of('alert-admins').getJobs();
    expect(jobs.map(({ data }) => data)).toContainEqual({ key: webhookId });
    await setAdmins(ADMIN);
    await alert();
    await expectMailed(1, 0);
    expect((await listed()).alerted_at).toEqual(new Date(clock.now()));
  });

  it('holds what is unfinished and what is new, and sends it in order once it is enabled, each from attempt 1', async () => {
    const unfinished = await raise(ctx, fx.orgId, 3);
    // Four attempts of these have failed when another event exhausts the webhook.
    const later = { $set: { at: clock.now() + 10_000_000 } };
    await queuedDeliveryRows(ctx).updateMany({ webhook_id: webhookId, state: 'pending' }, later);
    clock.advance(60_000);
    const exhausted = await exhaust();
    await drain();
    const during: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      during.push(...(await raise(ctx, fx.orgId, 2)));
      clock.advance(1);
    }
    expect(await attemptAllDue(ctx)).toBe(0);
    expect((await listed()).held).toBe(13);
    fx.receiver.received.length = 0;
    fx.receiver.behave({ status: 200 });
    await enable();
    await enable();
    await drain();
    const ids = fx.receiver.received.map(({ event }) => event.id);
    expect(ids).toEqual([...unfinished, ...during]);
    expect(fx.receiver.received.every(({ headers }) => headers['x-service-attempt'] === '1')).toBe(true);
    expect(await listed()).toMatchObject({ status: 'active', enabled: true, held: 0 });
    expect(await statusesOf(ctx, exhausted)).toEqual(['exhausted']);
    expect(new Set(await statusesOf(ctx, ids))).toEqual(new Set(['succeeded']));
  });

  it('is held nothing of by a transaction that began before it was enabled', async () => {
    await exhaust();
    fx.receiver.behave({ status: 200 });
    const enableAndDrain = async () => {
      await enable();
      await drain();
    };
    const [late = ''] = await raise(standingStillAfter(ctx, webhookRows, enableAndDrain), fx.orgId);
    expect(await dueRows(ctx).countDocuments({ _id: `drain-webhook ${webhookId}` })).toBe(0);
    expect((await readDelivery(ctx, late)).status).toBe('pending');
    await attemptAllDue(ctx);
    expect((await readDelivery(ctx, late)).status).toBe('succeeded');
  });

  it('fails again when the held ones fail again, and keeps them', async () => {
    await exhaust();
    const held = await raise(ctx, fx.orgId, 2);
    await enable();
    await drain();
    expect(await listed()).toMatchObject({ status: 'active', held: 0 });
    await attemptAfter(WAITS_MS.slice(1));
    expect((await listed()).status).toBe('failing');
    expect(await statusesOf(ctx, held)).toEqual(['exhausted', 'exhausted']);
  });
});
