import { beforeEach, describe, expect, it } from 'vitest';
import { type Member, memberRows } from '../../../../shared/core/accounts/organizations/model.ts';
import { sessionRows } from '../../../../shared/core/calls/sessions/model.ts';
import {
  mailPermitRows,
  takeMailPermit,
} from '../../../../shared/core/events/webhooks/endpoints/mail-permits.ts';
import { webhookRows } from '../../../../shared/core/events/webhooks/endpoints/model.ts';
import {
  unsubscribe,
  unsubscribeUrl,
} from '../../../../shared/core/events/webhooks/endpoints/unsubscribe.ts';
import { changeMember } from '../../../../shared/people/change-member.ts';
import { changeOrganization } from '../../../../shared/people/change-organization.ts';
import { addMember } from '../../../../shared/people/members.ts';
import type { Context } from '../../../../shared/platform/context/context.ts';
import { type DueRow, dueRows } from '../../../../shared/platform/due/model.ts';
import type { MailAttempt } from '../../../../shared/platform/mail/send-mail.ts';
import { reportAnomalies } from '../../../../shared/wings/anomalies/report-anomalies.ts';
import { askForDigest } from '../../../../shared/wings/digests/ask-for-digest.ts';
import { changePreferences } from '../../../../shared/wings/digests/preferences/change-preferences.ts';
import { mailDigestJob } from '../../../../shared/wings/digests/preferences/jobs.ts';
import { preferencesRows } from '../../../../shared/wings/digests/preferences/model.ts';
import { mailDigest, moveDigests } from '../../../../workers/index.ts';
import { makeSignal } from '../../../support/factories.ts';
import { fixture, type Tenant } from '../../../support/fixture.ts';
import { bodyOf, plainMail } from '../../../support/smtp.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Tuesday. */
const NOON = Date.UTC(2026, 10, 24, 12);
const MORNING = Date.UTC(2026, 10, 25, 8);
const HOSTILE = 'evil.example.com\u202e\r\nBcc: all@example.com';

const f = await fixture({ clock: NOON, smtp: true, perTest: true });
const { clock, ctx, smtp } = f;
const DEAD = { ...ctx, config: { ...ctx.config, smtpUrl: 'smtp://127.0.0.1:1' } };
let ada: Member;
beforeEach(async () => {
  ada = await addMember(ctx, { org_id: f.orgId, email: 'ada@example.com', user_id: 'ada', role: 'member' });
});

const accountOf = (member: Member) => ({ accountId: member._id, orgId: member.org_id });
const choose = (digest: 'none' | 'daily' | 'weekly', member = ada) =>
  changePreferences(ctx, accountOf(member), { digest });
const digestsOf = () =>
  dueRows(ctx).find({ org_id: f.orgId, kind: mailDigestJob.kind }).sort({ _id: 1 }).toArray() as Promise<
    (DueRow & MailAttempt)[]
  >;
const messageIds = () => smtp.mails.map((mail) => /^Message-ID:\s*(\S+)/im.exec(mail)?.[1]);
const dueTimes = async () => (await digestsOf()).map(({ due_at }) => due_at.toISOString());

/** Does what workers do for every digest that is due. */
async function mailAllDue(on: Context = ctx): Promise<void> {
  for (const { key: of, due_at } of await digestsOf())
    if (due_at.getTime() <= clock.now()) await mailDigest.handle({ key: of }, on);
}

/** The text of the mail of a morning. */
async function mailedAt(ms: number, digest: 'daily' | 'weekly' = 'daily'): Promise<string> {
  await choose(digest);
  clock.set(ms);
  await mailAllDue();
  expect(smtp.mails).toHaveLength(1);
  return plainMail(smtp.mails[0]);
}
/** A digest is chosen, and it is the morning on which it is due. */
async function chooseDaily(): Promise<void> {
  await choose('daily');
  clock.set(MORNING);
}
const SPIKE = { anomaly_type: 'cost_spike', baseline_avg: 1, observed: 9, deviation_pct: 800 } as const;

describe('the digest of a member', () => {
  it('shows own cost against the day before, the most expensive sessions, full budgets and anomalies, and nobody else’s', async () => {
    const yesterday = NOON - 2 * HOUR;
    const monthly = { scope: 'user', scope_id: 'ada', window: 'monthly' } as const;
    await f.budget({ ...monthly, name: 'Ada, each month', threshold: 20 });
    await f.spend(
      { ts: yesterday - DAY, cost_usd: 8 },
      { ts: yesterday, project_id: 'checkout', cost_usd: 10 },
      { ts: yesterday, user_id: 'eve', project_id: 'secret', cost_usd: 99 },
    );
    for (const session of await sessionRows(ctx)
      .find({ org_id: f.orgId, started_at: { $gte: new Date(yesterday) } })
      .toArray())
      await reportAnomalies(ctx, session, [SPIKE]);
    const text = await mailedAt(MORNING);
    expect(text).toContain('To: ada@example.com');
    expect(text).toContain('Subject: Test: your daily digest, Tue 24 Nov 2026');
    expect(text).toContain('Cost: $10.00, 25 % more than the day before ($8.00)');
    expect(text).toContain('$10.00: ada, checkout,');
    expect(text).toContain('“Ada, each month” (monthly): 90 %, $18.00 of $20.00');
    expect(text).toContain('Anomalies: 1 cost spike of “ada”, 800 % above usual');
    expect(text).not.toMatch(/eve|secret|The organization|99\.00/);
  });

  it.each([
    [0.0034, 0.0017, '$0.0034, 100 % more than the day before ($0.0017)'],
    [0.01, 0.02, '$0.01, 50 % less than the day before ($0.02)'],
    [3, 3, '$3.00, no change from the day before ($3.00)'],
    [0, 0, '$0.00, as the day before'],
  ])('says of %d USD after %d: %s', async (now, before, said) => {
    const yesterday = NOON - 2 * HOUR;
    await f.spend({ ts: yesterday - DAY, cost_usd: before }, { ts: yesterday, cost_usd: now });
    expect(bodyOf(await mailedAt(MORNING))).toContain(`Cost: ${said}\n`);
  });

  it('has the organization, its sessions, held signals and failing webhooks for admins', async () => {
    await changeMember(ctx, f.orgId, 'ada', { role: 'admin' });
    await f.spend({ user_id: 'eve', project_id: 'secret', cost_usd: 99 });
    const implausible = makeSignal({ ts: NOON, user_id: 'eve', tokens_in: 900_000_000 });
    await f.ask('/api/v1/signals', implausible);
    const text = await mailedAt(Date.UTC(2026, 10, 30, 8), 'weekly');
    expect(text).toContain('your weekly digest, Mon 23 Nov 2026 to Sun 29 Nov 2026');
    expect(text).toContain('Cost: $0.00, as the week before');
    expect(text).toContain('The organization “Test”');
    expect(text).toContain('Cost: $99.00, $0.00 the week before');
    expect(text).toContain('$99.00: eve, secret,');
    expect(text).toContain('Signals that are held and wait for a decision of an admin: 1');
  });

  it('has nothing of another organization for an admin, also where both have people of the same ids', async () => {
    await changeMember(ctx, f.orgId, 'ada', { role: 'admin' });
    const fill = async ({ orgId, key, budget, webhook }: Tenant, name: string) => {
      await budget({ name, threshold: 1, window: 'monthly' });
      const of = { ts: NOON, user_id: 'ada', project_id: name };
      const signals = [makeSignal({ ...of, cost_usd: 1 }), makeSignal({ ...of, tokens_in: 900_000_000 })];
      await f.ask('/api/v1/signals', { signals }, { key });
      const [session] = await sessionRows(ctx).find({ org_id: orgId }).toArray();
      if (session) await reportAnomalies(ctx, session, [SPIKE]);
      const { _id } = await webhook(`https://${name}.example/`);
      await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing' } });
    };
    await fill(f, 'own');
    await fill(await f.tenant(), 'foreign');
    const text = await mailedAt(MORNING);
    const [mine, whole] = text.split('The organization “Test”');
    for (const part of [mine, whole]) {
      expect(part).toContain('Cost: $1.00, $0.00 the day before');
      expect(part).toContain('$1.00: ada, own,');
      expect(part).toContain('Anomalies: 1 cost spike of “ada”, 800 % above usual');
    }
    expect(whole).toContain('“own” (monthly): 100 %, $1.00 of $1.00');
    expect(whole).toContain('wait for a decision of an admin: 1');
    expect(whole).toContain('Failing webhooks, whose deliveries are held own.');
    expect(text).not.toContain('foreign');
  });

  it.each([
    { count: 5, rest: [] },
    { count: 7, rest: ['and 2 more'] },
  ])('lists five of $count anomalies, and says how many more there are', async ({ count, rest }) => {
    await f.spend(...Array.from({ length: count }, (_, at) => ({ project_id: `p${at}`, cost_usd: 1 })));
    for (const session of await sessionRows(ctx).find({ org_id: f.orgId }).toArray())
      await reportAnomalies(ctx, session, [SPIKE]);
    const line = 'cost spike of “ada”, 800 % above usual';
    const [listed] = /^Anomalies: .*$/m.exec(await mailedAt(MORNING)) ?? [];
    expect(listed).toBe([`Anomalies: ${count}`, line, line, line, line, line, ...rest].join(' '));
  });

  it('has names as text: one line, no link, no direction, no header', async () => {
    await f.spend({ project_id: HOSTILE, cost_usd: 1 });
    await changeOrganization(ctx, f.orgId, { name: HOSTILE });
    const text = await mailedAt(MORNING);
    expect(text).not.toMatch(/^Bcc:/m);
    expect(text).not.toContain('\u202e');
    expect(text).toContain('evil.\u200bexample.\u200bcom Bcc: all@example.\u200bcom');
  });

  it('can be ended by one click, and is taken again by choosing one', async () => {
    await choose('daily');
    const { href, pathname } = new URL(unsubscribeUrl(ctx.config, ada._id));
    await askForDigest(ctx, accountOf(ada));
    await mailAllDue();
    const text = plainMail(smtp.mails[0]);
    expect(text).toContain(`List-Unsubscribe: <${href}>`);
    expect(text).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    await unsubscribe(ctx, pathname.split('/').at(-1) ?? '');
    expect((await preferencesRows(ctx).findOne({ _id: ada._id }))?.digest).toBe('none');
    expect(await dueTimes()).toEqual([]);
    await choose('daily');
    expect((await memberRows(ctx).findOne({ _id: ada._id }))?.mails_ended_at).toBeUndefined();
    clock.set(MORNING);
    await mailAllDue();
    expect(smtp.mails).toHaveLength(2);
  });
});

describe('a due digest', () => {
  it('is one row per person: it is sent once at 8:00, and the next one is due a day later', async () => {
    await choose('daily');
    await choose('weekly');
    await choose('daily');
    expect(await dueTimes()).toEqual(['2026-11-25T08:00:00.000Z']);
    clock.set(MORNING - 1);
    await mailDigest.handle({ key: ada._id }, ctx);
    expect(smtp.mails).toHaveLength(0);
    clock.set(MORNING);
    for (const _time of [1, 2]) await mailDigest.handle({ key: ada._id }, ctx);
    expect(smtp.mails).toHaveLength(1);
    expect(await dueTimes()).toEqual(['2026-11-26T08:00:00.000Z']);
  });

  it('is one mail when two workers take it at one time', async () => {
    await chooseDaily();
    await Promise.all([ctx, { ...ctx }].map((each) => mailDigest.handle({ key: ada._id }, each)));
    expect(smtp.mails).toHaveLength(1);
  });

  it('is tried again after 30 s, 5 min, 30 min and 2 h, with one Message-ID, and then given up for the period', async () => {
    await chooseDaily();
    for (const waitS of [30, 300, 1_800, 7_200]) {
      const failedAt = clock.now();
      await mailAllDue(DEAD);
      const [due] = await digestsOf();
      expect((due?.due_at.getTime() ?? 0) - failedAt).toBe(waitS * 1_000);
      clock.set(failedAt + waitS * 1_000);
    }
    await mailAllDue(DEAD);
    expect(await dueTimes()).toEqual(['2026-11-26T08:00:00.000Z']);
    const sent = (await mailPermitRows(ctx).find({}).toArray()).flatMap((row) => row.sent);
    expect(sent.filter((at) => at.getTime() === clock.now())).toEqual([]);
    expect(smtp.mails).toHaveLength(0);
  });

  it('that a killed worker had sent and not recorded is sent again with the same Message-ID', async () => {
    await chooseDaily();
    const [due] = await digestsOf();
    await mailAllDue();
    const { _id, due_at, scheduled_at } = due ?? ({} as DueRow & MailAttempt);
    await dueRows(ctx).updateOne({ _id }, { $set: { due_at, scheduled_at } });
    await preferencesRows(ctx).updateOne({ _id: ada._id }, { $unset: { last_period: true } });
    await mailAllDue();
    const ids = messageIds();
    expect([ids.length, new Set(ids).size, ids[0]]).toEqual([2, 1, expect.stringMatching(/^<digest\./)]);
  });

  it('has a Message-ID that no other has: neither one that was asked for on its day, nor that of another person', async () => {
    const eve = await f.member('eve');
    for (const member of [ada, eve]) {
      await choose('daily', member);
      for (let asked = 0; asked < 2; asked += 1) await askForDigest(ctx, accountOf(member));
    }
    clock.set(MORNING);
    await mailAllDue();
    expect([smtp.mails.length, new Set(messageIds()).size]).toEqual([6, 6]);
  });

  it('waits for room where the person has had as many mails as there may be', async () => {
    await choose('daily');
    clock.set(MORNING - HOUR / 2);
    for (let sent = 0; sent < 20; sent += 1)
      await takeMailPermit(ctx, { orgId: f.orgId, address: 'ada@example.com' });
    clock.set(MORNING);
    await mailAllDue();
    expect([smtp.mails.length, await dueTimes()]).toEqual([0, ['2026-11-25T08:30:00.000Z']]);
    clock.set(MORNING + HOUR / 2);
    await mailAllDue();
    expect([smtp.mails.length, await dueTimes()]).toEqual([1, ['2026-11-26T08:00:00.000Z']]);
  });

  it('is left out for its successor after a long outage', async () => {
    expect(await mailedAt(MORNING + 3 * DAY + HOUR)).toContain('your daily digest, Fri 27 Nov 2026');
    expect(await dueTimes()).toEqual(['2026-11-29T08:00:00.000Z']);
  });

  it('is tried as often as any other after an outage in which its predecessor had failed', async () => {
    await chooseDaily();
    for (const waitS of [30, 300, 1_800]) {
      await mailAllDue(DEAD);
      clock.advance(waitS * 1_000);
    }
    clock.set(MORNING + DAY + HOUR);
    await mailAllDue(DEAD);
    const [due] = await digestsOf();
    expect([due?.attempt, (due?.due_at.getTime() ?? 0) - clock.now()]).toEqual([2, 30_000]);
  });

  it('goes to nobody whose address is not confirmed, and the next one is due all the same', async () => {
    await memberRows(ctx).updateOne({ _id: ada._id }, { $unset: { email_confirmed: true } });
    await chooseDaily();
    await mailAllDue();
    expect([smtp.mails.length, await dueTimes()]).toEqual([0, ['2026-11-26T08:00:00.000Z']]);
  });

  it('follows the timezone of the organization', async () => {
    await choose('daily');
    await changeOrganization(ctx, f.orgId, { timezone: 'Asia/Tokyo' });
    await moveDigests.handle({ key: f.orgId }, ctx);
    // Tokyo's time holds from the 25th on, 0:00 UTC: after 8:00 of that day in Tokyo.
    expect(await dueTimes()).toEqual(['2026-11-25T23:00:00.000Z']);
  });
});
