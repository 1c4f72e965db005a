import { describe, expect, it } from 'vitest';
import { acceptInvitation, declineInvitation } from '../../shared/core/accounts/identity/invitations.ts';
import { endedMailRows } from '../../shared/core/accounts/organizations/ended-mails.ts';
import { type Member, memberRows, organizationRows } from '../../shared/core/accounts/organizations/model.ts';
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
  dueRows(api.ctx).find({ org_id: f.orgId, kind: 'mail-invitation' }).toArray() as Promise<DueRow[]>;

const batch = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `p${from + index}@example.org`);
const memberOf = (user_id: string) => memberRows(api.ctx).findOne({ org_id: f.orgId, user_id });

const tokenOf = (accountId: string) =>
  new URL(unsubscribeUrl(api.ctx.config, accountId)).pathname.split('/').at(-1) ?? '';

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
    const accountId = (await memberOf(body.results[0].user_id))?._id ?? '';
    await declineInvitation(api.ctx, { accountId, email: 'shy@example.org' });
    expect(statusesOf(await invite({ emails }))).toEqual(['renewed']);
    expect((await memberOf(body.results[0].user_id))?.declined_at).toBeUndefined();
  });

  it('are made of 1 to 200 addresses', async () => {
    for (const emails of [[], batch(0, 201)]) expect((await invite({ emails })).status).toBe(400);
    expect((await invite({ emails: ['a@example.org'], name: 'x' })).status).toBe(400);
  });

  it('at one time invite each person once', async () => {
    const emails = batch(0, 20);
    const answers = await Promise.all([invite({ emails }), invite({ emails })]);
    const all = answers.flatMap(statusesOf).toSorted();
    expect(all).toEqual([...Array(20).fill('invited, mailed'), ...Array(20).fill('renewed')]);
    expect(await memberRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(21);
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
    const mail = plainMail(smtp.mails[0]);
    expect(mail).toMatch(/^To: new@example\.org$/m);
    expect(mail).toMatch(/^List-Unsubscribe: <https:\/\/governor\.example\/v1\/unsubscribe\/usr_/m);
    for (const named of ['https://governor.example/dashboard/join', 'Test']) expect(mail).toContain(named);
    expect(mail).not.toMatch(/^Bcc:|http:\/\/evil|evil\.example\.com/m);
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
    const answers = [];
    for (const from of [0, 200, 400]) answers.push(await invite({ emails: batch(from, 200) }));
    const mailed = answers.map(({ body }) => body.results.filter((each: { mailed: boolean }) => each.mailed));
    expect(mailed.map(({ length }) => length)).toEqual([200, 200, 100]);
    clock.advance(24 * HOUR);
    expect(statusesOf(await invite({ emails: ['next@example.org'] }))).toEqual(['invited, mailed']);
  });

  const identity = { iss: 'https://idp.example', sub: 'b' };
  const answers: [string, (accountId: string, email: string) => Promise<unknown>][] = [
    ['joined', (accountId, email) => acceptInvitation(api.ctx, { accountId, email, identity })],
    ['declined', (accountId, email) => declineInvitation(api.ctx, { accountId, email })],
    ['ended the mails', (accountId) => unsubscribe(api.ctx, tokenOf(accountId))],
  ];
  it.each(answers)('is tried again, but not to who has %s meanwhile', async (_, answer) => {
    const { body } = await invite({ emails: ['a@example.org', 'b@example.org'] });
    const dead = { ...api.ctx, config: { ...api.ctx.config, smtpUrl: 'smtp://127.0.0.1:1' } };
    for (const { key } of await dueMails()) await mailInvitation.handle({ key }, dead);
    clock.advance(30_000);
    await answer((await memberOf(body.results[1].user_id))?._id ?? '', 'b@example.org');
    await mailAllDue();
    expect([smtp.mails.length, await dueMails()]).toEqual([1, []]);
    expect(smtp.mails[0]).toContain('To: a@example.org');
  });

  it('is not sent again to who has ended the mails, by a removal, a change of address or another spelling', async () => {
    const of = async (email: string) =>
      (await memberRows(api.ctx).findOne({ org_id: f.orgId, email })) as Member;
    const removed = async (email: string) =>
      removeMember(api.ctx, f.orgId, (await of(email)).user_id, { keepsAnAdmin: true });
    const [quit, moved] = ['quit@example.org', 'moved@example.org'];
    await invite({ emails: [quit, moved] });
    for (const email of [quit, moved]) await unsubscribe(api.ctx, tokenOf((await of(email))._id));
    await removed(quit);
    await changeMember(api.ctx, f.orgId, (await of(moved)).user_id, { email: 'new@example.org' });
    clock.advance(2 * HOUR);
    const emails = ['quit+again@example.org', moved, 'another@example.org'];
    expect(statusesOf(await invite({ emails }))).toEqual(['invited', 'invited', 'invited, mailed']);
    // Twice around, and by the other way to add a member.
    await removed('quit+again@example.org');
    const added = await addMember(api.ctx, { org_id: f.orgId, email: quit, role: 'member' });
    expect(added.mails_ended_at).toBeInstanceOf(Date);
    // The person alone takes it back.
    await subscribeAgain(api.ctx, tokenOf(added._id));
    await removed(quit);
    clock.advance(2 * HOUR);
    expect(statusesOf(await invite({ emails: [quit] }))).toEqual(['invited, mailed']);
    const kept = await endedMailRows(api.ctx).find({}).toArray();
    expect(JSON.stringify(kept)).not.toContain('example.org');
  });

  it('and its member are written together or not at all', async () => {
    const before = await memberRows(api.ctx).countDocuments({ org_id: f.orgId });
    const full = Array.from({ length: 1_000 }, (_, index) => `full ${index}`);
    await organizationRows(api.ctx).updateOne({ _id: f.orgId }, { $set: { teams: full } });
    const refused = await invite({ emails: ['x@example.org', 'y@example.org'], teams: ['new'] });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect(await memberRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(before);
    expect(await dueMails()).toEqual([]);
  });
});
