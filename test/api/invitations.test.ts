import { describe, expect, it } from 'vitest';
import { declineInvitation } from '../../shared/core/accounts/identity/invitations.ts';
import { endedMailRows } from '../../shared/core/accounts/organizations/ended-mails.ts';
import { memberRows, organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import {
  subscribeAgain,
  unsubscribe,
  unsubscribeUrl,
} from '../../shared/core/events/webhooks/endpoints/unsubscribe.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { type DueRow, dueRows } from '../../shared/platform/due/model.ts';
import { mailInvitation } from '../../workers/index.ts';
import { fixture } from '../support/fixture.ts';
import { startApi } from '../support/harness.ts';
import { bodyOf, plainMail } from '../support/smtp.ts';

const HOUR = 3_600_000;
const f = await fixture({ clock: true, smtp: true, idp: true, admin: true, perTest: true });
const { api, clock, smtp } = f;

const invite = (body: object, at = api) =>
  f.send('/v1/invitations', { role: 'member', mail: true, ...body }, { key: f.admin, at });
const statusesOf = ({ body }: { body: { results: { status: string; mailed: boolean }[] } }) =>
  body.results.map(({ status, mailed }) => `${status}${mailed ? ', mailed' : ''}`);
const dueMails = () =>
  dueRows(api.ctx).find({ org_id: f.admin.orgId, kind: 'mail-invitation' }).toArray() as Promise<DueRow[]>;

async function mailAllDue(): Promise<void> {
  for (const { key, due_at } of await dueMails())
    if (due_at.getTime() <= clock.now()) await mailInvitation.handle({ key }, api.ctx);
}

describe('invitations', () => {
  it('add a member for each address, renew what is open, and leave members alone; a wrong one spoils none', async () => {
    const key = f.admin;
    const known = await f.ask('/v1/members', { email: 'known@example.org', role: 'member' }, { key });
    const { email } = (await memberRows(api.ctx).findOne({ _id: f.admin.accountId })) ?? {};
    const tooLong = `${'x'.repeat(2_000)}@example.org`;
    const wrong = ['no address', '', 'nul\0@example.org', '\ud800@example.org', tooLong];
    const emails = ['New@Example.org', 'known@example.org', email, ...wrong, 'other@example.org'];
    const answer = await invite({ emails, teams: ['red'] });
    expect(answer.status).toBe(200);
    const invited = { status: 'invited', user_id: expect.stringMatching(/^usr_/), mailed: true };
    expect(answer.body).toEqual({
      results: [
        { email: 'new@example.org', ...invited },
        { email: 'known@example.org', status: 'renewed', user_id: known.user_id, mailed: true },
        { email, status: 'member', user_id: f.admin.userId, mailed: false },
        ...wrong.map((given) => ({ email: given, status: 'invalid', mailed: false })),
        { email: 'other@example.org', ...invited },
      ],
      link: 'https://governor.example/dashboard/join',
    });
    const { data } = await f.ask('/v1/members', undefined, { key });
    expect(data).toHaveLength(4);
    const teams = new Map(data.map((each: { email: string; teams: string[] }) => [each.email, each.teams]));
    expect([teams.get('new@example.org'), teams.get('known@example.org')]).toEqual([['red'], []]);
    const own = (await f.audited()).filter(({ actor }) => actor === f.admin.accountId);
    const actions = own.map(({ action }) => action).toSorted();
    expect(actions.join(', ')).toBe('member.add, member.add, member.add, member.invite');
  });

  it('renew one that was turned down', async () => {
    const emails = ['shy@example.org'];
    const { body } = await invite({ emails });
    const found = await memberRows(api.ctx).findOne({ user_id: body.results[0].user_id });
    await declineInvitation(api.ctx, { accountId: found?._id ?? '', email: 'shy@example.org' });
    expect(statusesOf(await invite({ emails }))).toEqual(['renewed']);
    expect((await memberRows(api.ctx).findOne({ _id: found?._id ?? '' }))?.declined_at).toBeUndefined();
  });

  it('are made of 1 to 200 addresses', async () => {
    for (const emails of [[], Array.from({ length: 201 }, (_, index) => `p${index}@example.org`)])
      expect((await invite({ emails })).status).toBe(400);
    expect((await invite({ emails: ['a@example.org'], name: 'x' })).status).toBe(400);
  });

  it('at one time invite each person once', async () => {
    const emails = Array.from({ length: 20 }, (_, index) => `twin-${index}@example.org`);
    const answers = await Promise.all([invite({ emails }), invite({ emails })]);
    const all = answers.flatMap(statusesOf).toSorted();
    expect(all).toEqual([...Array(20).fill('invited, mailed'), ...Array(20).fill('renewed')]);
    expect(await memberRows(api.ctx).countDocuments({ org_id: f.admin.orgId })).toBe(21);
  });
});

describe('the mail of an invitation', () => {
  it('names organization, inviter and link as text, and can be ended by one click', async () => {
    const name = 'Mallory\u202e http://evil.example.com\r\nBcc: all@example.com';
    await memberRows(api.ctx).updateOne({ _id: f.admin.accountId }, { $set: { name } });
    await invite({ emails: ['new@example.org'] });
    await mailAllDue();
    await mailAllDue();
    expect(smtp.mails).toHaveLength(1);
    const mail = (smtp.mails[0] ?? '').replaceAll(/\r\n[ \t]+/g, ' ').replaceAll('=\r\n', '');
    expect(mail).toMatch(/^To: new@example\.org\r$/m);
    expect(mail).toContain('https://governor.example/dashboard/join');
    expect(mail).toContain('Test');
    expect(mail).toMatch(/^List-Unsubscribe: <https:\/\/governor\.example\/v1\/unsubscribe\/usr_/m);
    expect(mail).not.toMatch(/^Bcc:/m);
    expect(mail).not.toContain('http://evil');
    expect(mail).not.toContain('evil.example.com');
  });

  it('is short whatever its names are', async () => {
    const names = { $set: { name: 'x'.repeat(200) } };
    await memberRows(api.ctx).updateOne({ _id: f.admin.accountId }, names);
    await organizationRows(api.ctx).updateOne({ _id: f.orgId }, names);
    await invite({ emails: ['new@example.org'] });
    await mailAllDue();
    const short = `${'x'.repeat(79)}…`;
    expect(bodyOf(plainMail(smtp.mails[0])).split('\n')[0]).toBe(
      `${short} invites you to the organization “${short}”, which follows its usage of AI tools here.`,
    );
  });

  it('is not sent unless it is asked for, nor without a mail server', async () => {
    expect(statusesOf(await invite({ emails: ['quiet@example.org'], mail: false }))).toEqual(['invited']);
    const config = { ...api.ctx.config, smtpUrl: undefined };
    const without = await startApi({ ctx: { ...api.ctx, config } });
    expect(statusesOf(await invite({ emails: ['mute@example.org'] }, without))).toEqual(['invited']);
    await without.close();
    expect(await dueMails()).toEqual([]);
  });

  it('goes to one mailbox once per hour, however its address is written', async () => {
    const emails = ['often@example.org', 'Often+1@example.org'];
    expect(statusesOf(await invite({ emails }))).toEqual(['invited, mailed', 'invited']);
    clock.advance(HOUR - 1);
    expect(statusesOf(await invite({ emails }))).toEqual(['renewed', 'renewed']);
    clock.advance(1);
    expect(statusesOf(await invite({ emails }))).toEqual(['renewed, mailed', 'renewed']);
  });

  it('goes to 500 addresses of an organization per day, and not to those beyond', async () => {
    const batch = (from: number) => Array.from({ length: 200 }, (_, index) => `p${from + index}@example.org`);
    const answers = [await invite({ emails: batch(0) }), await invite({ emails: batch(200) })];
    answers.push(await invite({ emails: batch(400) }));
    const mailed = answers.map(
      (answer) => statusesOf(answer).filter((each) => each.endsWith('mailed')).length,
    );
    expect(mailed).toEqual([200, 200, 100]);
    clock.advance(24 * HOUR);
    expect(statusesOf(await invite({ emails: ['next@example.org'] }))).toEqual(['invited, mailed']);
  });

  it('is tried again with one Message-ID, and not sent to who has joined, declined or unsubscribed meanwhile', async () => {
    const { body } = await invite({ emails: ['a@example.org', 'b@example.org'] });
    const [a, b] = await Promise.all(
      body.results.map(({ user_id }: { user_id: string }) => memberRows(api.ctx).findOne({ user_id })),
    );
    const dead = { ...api.ctx, config: { ...api.ctx.config, smtpUrl: 'smtp://127.0.0.1:1' } };
    for (const { key } of await dueMails()) await mailInvitation.handle({ key }, dead);
    clock.advance(30_000);
    await unsubscribe(
      api.ctx,
      new URL(unsubscribeUrl(api.ctx.config, b._id)).pathname.split('/').at(-1) ?? '',
    );
    await mailAllDue();
    expect([smtp.mails.length, await dueMails()]).toEqual([1, []]);
    expect(smtp.mails[0]).toContain('To: a@example.org');
    clock.advance(HOUR);
    expect(statusesOf(await invite({ emails: [a.email, b.email] }))).toEqual(['renewed, mailed', 'renewed']);
  });

  it('is not sent again to who has ended the mails, by a removal, a change of address or another spelling', async () => {
    const findByEmail = (email: string) => memberRows(api.ctx).findOne({ org_id: f.admin.orgId, email });
    const end = async (email: string) => {
      const url = unsubscribeUrl(api.ctx.config, (await findByEmail(email))?._id ?? '');
      return { url, token: new URL(url).pathname.split('/').at(-1) ?? '' };
    };
    const userOf = async (email: string) => (await findByEmail(email))?.user_id ?? '';
    await invite({ emails: ['quit@example.org', 'moved@example.org'] });
    for (const email of ['quit@example.org', 'moved@example.org'])
      await unsubscribe(api.ctx, (await end(email)).token);
    await removeMember(api.ctx, f.admin.orgId, await userOf('quit@example.org'), { keepsAnAdmin: true });
    await changeMember(api.ctx, f.admin.orgId, await userOf('moved@example.org'), {
      email: 'new@example.org',
    });
    clock.advance(2 * HOUR);
    const emails = ['quit+again@example.org', 'moved@example.org', 'another@example.org'];
    expect(statusesOf(await invite({ emails }))).toEqual(['invited', 'invited', 'invited, mailed']);
    // Twice around, and by the other way to add a member.
    await removeMember(api.ctx, f.admin.orgId, await userOf('quit+again@example.org'), {
      keepsAnAdmin: true,
    });
    const added = await addMember(api.ctx, {
      org_id: f.admin.orgId,
      email: 'quit@example.org',
      role: 'member',
    });
    expect(added.mails_ended_at).toBeInstanceOf(Date);
    // The person alone takes it back.
    await subscribeAgain(api.ctx, (await end('quit@example.org')).token);
    await removeMember(api.ctx, f.admin.orgId, added.user_id, { keepsAnAdmin: true });
    clock.advance(2 * HOUR);
    expect(statusesOf(await invite({ emails: ['quit@example.org'] }))).toEqual(['invited, mailed']);
    const kept = await endedMailRows(api.ctx).find({}).toArray();
    expect(JSON.stringify(kept)).not.toContain('example.org');
  });

  it('and its member are written together or not at all', async () => {
    const before = await memberRows(api.ctx).countDocuments({ org_id: f.admin.orgId });
    const teams = Array.from({ length: 100 }, (_, index) => `t${index}`);
    const full = Array.from({ length: 1_000 }, (_, index) => `full ${index}`);
    await organizationRows(api.ctx).updateOne({ _id: f.admin.orgId }, { $set: { teams: full } });
    const refused = await invite({ emails: ['x@example.org', 'y@example.org'], teams });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect(await memberRows(api.ctx).countDocuments({ org_id: f.admin.orgId })).toBe(before);
    expect(await dueMails()).toEqual([]);
  });
});
