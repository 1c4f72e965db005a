import { beforeEach, describe, expect, it } from 'vitest';
import type { Member } from '../../../../shared/core/accounts/organizations/model.ts';
import { mailPermitRows } from '../../../../shared/core/events/webhooks/endpoints/mail-permits.ts';
import {
  unsubscribe,
  unsubscribeUrl,
} from '../../../../shared/core/events/webhooks/endpoints/unsubscribe.ts';
import type { Budget } from '../../../../shared/core/limits/budgets/rules/model.ts';
import { changeMember } from '../../../../shared/people/change-member.ts';
import { addMember } from '../../../../shared/people/members.ts';
import type { Context } from '../../../../shared/platform/context/context.ts';
import { type DueRow, dueRows } from '../../../../shared/platform/due/model.ts';
import { approveRaise, denyRaise } from '../../../../shared/wings/raises/answer.ts';
import { askForRaise } from '../../../../shared/wings/raises/ask.ts';
import { mailRaiseJob } from '../../../../shared/wings/raises/jobs.ts';
import { withdrawRaise } from '../../../../shared/wings/raises/withdraw.ts';
import { mailRaise } from '../../../../workers/index.ts';
import { fixture } from '../../../support/fixture.ts';
import { bodyOf, plainMail } from '../../../support/smtp.ts';

const NOON = Date.UTC(2026, 10, 24, 12);
const HOUR = 3_600_000;
const HOSTILE = 'evil.example.com\u202e\r\nBcc: all@example.com';
const BASE_URL = 'https://governor.example';

const f = await fixture({ clock: NOON, smtp: true, perTest: true });
const { api, clock, ctx, smtp } = f;
let ada: Member;
let grace: Member;
let linus: Member;
let budget: Budget;
beforeEach(async () => {
  ada = await join('ada', 'member');
  grace = await join('grace', 'admin');
  linus = await join('linus', 'admin');
  budget = await f.budget({ name: 'Everybody', enforce: 'hard' });
});

const join = (user_id: string, role: 'admin' | 'member') =>
  addMember(ctx, { org_id: f.orgId, email: `${user_id}@example.com`, user_id, role });
const personOf = ({ _id, org_id, user_id }: Member) => ({ accountId: _id, orgId: org_id, userId: user_id });
const ask = (note: string | undefined = 'The migration takes longer.', by = ada) =>
  askForRaise(ctx, personOf(by), { budget_id: budget._id, amount: 5, note });
const due = () =>
  dueRows(ctx).find({ org_id: f.orgId, kind: mailRaiseJob.kind }).sort({ _id: 1 }).toArray() as Promise<
    DueRow[]
  >;

/** Does what workers do for every mail that is due. */
async function mailAllDue(on: Context = ctx): Promise<void> {
  for (const { key, due_at } of await due())
    if (due_at.getTime() <= clock.now()) await mailRaise.handle({ key }, on);
}

/** The texts of the mails since the last look, and who got them, once all are sent that are due. */
async function mailed(): Promise<{ texts: string[]; readers: string[] }> {
  await mailAllDue();
  const texts = smtp.mails.splice(0).map(plainMail);
  const readers = texts.map((text) => String(/^To: (.*)@example\.com$/m.exec(text)?.[1]));
  return { texts, readers: readers.toSorted() };
}

describe('a request for more', () => {
  it('is mailed to each admin but the person, once however often the job runs', async () => {
    const { _id } = await ask();
    const keys = (await due()).map(({ key }) => key);
    const { texts, readers } = await mailed();
    expect(readers).toEqual(['grace', 'linus']);
    const [text] = texts;
    expect(text).toMatch(/^Subject: .*ada_asks_for_\$5\.00_more_of_“/m);
    expect(bodyOf(text).replace(/unsubscribe\/\S+/, 'unsubscribe/…')).toBe(
      [
        'ada asks for $5.00 more of the budget “Everybody”.',
        '',
        'The migration takes longer.',
        '',
        `Sign in as an admin to answer: ${BASE_URL}/dashboard/raises/${_id}`,
        '',
        '-- ',
        `No more mails: ${BASE_URL}/v1/unsubscribe/…`,
        '',
      ].join('\n'),
    );
    for (const key of keys) await mailRaise.handle({ key }, ctx);
    expect([smtp.mails, await due()]).toEqual([[], []]);
    await ask('Mine.', grace);
    expect((await mailed()).readers).toEqual(['linus']);
  });

  it('is not mailed any more once it was withdrawn, answered or has expired', async () => {
    await withdrawRaise(ctx, personOf(ada), (await ask())._id);
    expect((await mailed()).readers).toEqual([]);
    await denyRaise(ctx, personOf(grace), (await ask())._id, undefined);
    expect((await mailed()).readers, 'the answer alone').toEqual(['ada']);
    clock.set((await ask()).expires_at.getTime());
    expect((await mailed()).readers).toEqual([]);
    expect(await due()).toEqual([]);
  });

  it('has names and notes as text: one line, no link, no direction, no header', async () => {
    await ask(HOSTILE, await f.member('https://evil.example.com'));
    const { texts } = await mailed();
    expect(texts).toHaveLength(2);
    for (const text of texts) {
      expect(text).not.toMatch(/^Bcc:/m);
      expect(text).not.toContain('\u202e');
      expect(text).toContain('evil.\u200bexample.\u200bcom');
      expect(text.match(/https?:\/\/\S+/g)?.every((url) => url.startsWith(BASE_URL))).toBe(true);
    }
  });
});

describe('an answer', () => {
  it('is mailed to the person alone, with the word of the admin and no name that the person does not see', async () => {
    const { _id } = await ask();
    await mailed();
    await approveRaise(ctx, personOf(grace), _id, { amount: 3, duration_s: 3_600 });
    const approved = await mailed();
    expect(approved.readers).toEqual(['ada']);
    expect(approved.texts[0]).toContain('Subject: Your request for $5.00 more was approved');
    expect(approved.texts[0]).toContain(
      '$3.00 more of a budget of your organization: approved until 24 Nov, 13:00 UTC.',
    );
    expect(approved.texts[0]).not.toContain('Everybody');
    await denyRaise(ctx, personOf(linus), (await ask())._id, 'Use the smaller model.');
    const [denied] = (await mailed()).texts;
    expect(denied).toContain('Subject: Your request for $5.00 more was denied');
    expect(denied).toContain('Use the smaller model.');
  });
});

it('the link of a mail holds no credential: it answers nothing, and neither do its parts', async () => {
  const { _id } = await ask();
  const { texts } = await mailed();
  const links = texts.map((text) => /answer: (\S+)/.exec(text)?.[1]);
  expect(new Set(links)).toEqual(new Set([`${BASE_URL}/dashboard/raises/${_id}`]));
  for (const key of [undefined, _id]) {
    const answer = await api.call(`/v1/raises/${_id}/approve`, { ...(key && { key }), body: {} });
    expect(answer.status).toBe(401);
  }
  const followed = await fetch(`${api.url}/v1/raises/${_id}/approve`);
  expect([401, 404, 405]).toContain(followed.status);
  expect((await fetch(`${api.url}/dashboard/raises/${_id}`)).status).toBe(200);
  expect((await api.call(`/v1/raises/${_id}`, {})).status).toBe(401);
  expect(texts.join('\n')).not.toMatch(/ugk_|token=|code=/);
});

describe('mails about raises', () => {
  it('keep to the cap of mails per mailbox, and the rest wait for the hour', async () => {
    const now = new Date(clock.now());
    await ask();
    const rows = await due();
    // The mails of the hour have gone to one mailbox.
    await mailRaise.handle({ key: rows[0]?.key ?? '' }, ctx);
    const permits = await mailPermitRows(ctx).find({ sent: now }).toArray();
    const one = permits.map(({ _id }) => _id);
    await mailPermitRows(ctx).updateMany({ _id: { $in: one } }, { $set: { sent: Array(500).fill(now) } });
    smtp.mails.length = 0;
    expect((await mailed()).texts).toHaveLength(0);
    expect((await due()).map(({ due_at }) => due_at.getTime())).toEqual([NOON + HOUR]);
    clock.set(NOON + HOUR);
    expect((await mailed()).texts).toHaveLength(1);
  });

  it('go to nobody who has ended them or is no admin any more', async () => {
    await ask();
    await unsubscribe(ctx, unsubscribeUrl(ctx.config, grace._id).split('/').at(-1) ?? '');
    await changeMember(ctx, f.orgId, 'linus', { role: 'member' });
    expect((await mailed()).readers).toEqual([]);
    expect(await due()).toEqual([]);
  });

  it('are not planned where there is no mail server', async () => {
    const { smtpUrl: _, ...config } = ctx.config;
    await askForRaise({ ...ctx, config }, personOf(ada), { budget_id: budget._id, amount: 5 });
    expect(await due()).toEqual([]);
  });
});
