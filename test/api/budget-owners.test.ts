import { describe, expect, it } from 'vitest';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { eventRows } from '../../shared/core/events/record/model.ts';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { unsubscribeUrl } from '../../shared/core/events/webhooks/endpoints/unsubscribe.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetWindowRows } from '../../shared/core/limits/budgets/rules/counted.ts';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { eraseMember } from '../../shared/people/erase-member.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { mailOwner } from '../../workers/index.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { standingStillAfter } from '../support/interleave.ts';
import { SECRET } from '../support/webhooks.ts';

const f = await fixture({ clock: Date.UTC(2026, 10, 18, 10), idp: true, smtp: true, perTest: true });
const ALL = { ...BUDGET, name: 'All', metric: 'signals', threshold: 1 };
const URL_OF_CHANNEL = 'http://127.0.0.1:9/';

const budget = (fields: object = {}) => f.ask('/api/v1/budgets', { ...ALL, ...fields });
const read = (id: string, key = f.key) => f.ask(`/api/v1/budgets/${id}`, undefined, { key });
const change = (id: string, fields: object, key = f.key) => f.patch(`/api/v1/budgets/${id}`, fields, { key });

async function channel(fields: Record<string, unknown> = {}): Promise<string> {
  const body = { url: URL_OF_CHANNEL, format: 'slack', events: ['budget.exceeded'], ...fields };
  return (await f.ask('/api/v1/webhooks', body)).id;
}

async function confirmed(userId: string, role: 'admin' | 'member' = 'member') {
  const member = await f.member(userId, { role });
  const email = `${member._id}@example.com`;
  await memberRows(f.ctx).updateOne({ _id: member._id }, { $set: { email, email_confirmed: true } });
  return { ...member, email };
}

/** Ends the mails to a person by the link in one of them. */
async function endMails(accountId: string): Promise<void> {
  const { pathname } = new URL(unsubscribeUrl(f.ctx.config, accountId));
  expect((await f.api.call(pathname, { method: 'POST' })).status).toBe(200);
}

/** The types of events of which a webhook has deliveries. */
async function got(webhook_id: string): Promise<string[]> {
  const rows = await queuedDeliveryRows(f.ctx).find({ webhook_id }).toArray();
  return rows.map(({ type }) => type).sort();
}

/** Evaluates, and sends the mails that are due. */
async function evaluate(): Promise<void> {
  await evaluateDue(f.ctx, f.orgId);
  const due = await dueRows(f.ctx).find({ kind: mailOwner.kind, org_id: f.orgId }).toArray();
  for (const { key } of due) await mailOwner.handle({ key }, f.ctx);
}

/** The mails to an address, and their subjects in order. */
const mailsTo = (email: string) => f.smtp.mails.filter((mail) => mail.includes(`To: ${email}`));

describe('the owner of a budget', () => {
  it('gets a mail about the highest level, once, although no webhook asks for it', async () => {
    const ada = await confirmed('ada');
    await budget({ owner: { user_id: 'ada' } });
    await f.spend({ user_id: 'bob' });
    await evaluate();
    await evaluate();
    const mails = mailsTo(ada.email);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toContain('is exceeded');
    expect(mails[0]).toContain('List-Unsubscribe-Post');
    expect(mails[0]).not.toContain('bob');
  });

  it('that is a channel gets its levels and percentages whatever its filter says, and once', async () => {
    await f.member('eve');
    const filtered = await channel({ events: ['credit.low'], alert_at: [50], filter: { people: ['eve'] } });
    const asking = await channel();
    const [own, other] = [await budget({ owner: { webhook_id: filtered } }), await budget({ name: 'Other' })];
    await f.spend({ user_id: 'bob' });
    await evaluate();
    expect(await got(filtered)).toContain('budget.exceeded');
    const about = await queuedDeliveryRows(f.ctx).find({ webhook_id: filtered }).toArray();
    expect(about.every(({ body }) => body.includes(own.id) && !body.includes(other.id))).toBe(true);
    await change(own.id, { owner: { webhook_id: asking } });
    expect((await got(asking)).filter((type) => type === 'budget.exceeded')).toHaveLength(2);
  });

  it('sees its name and amounts everywhere, and of the people only the own part', async () => {
    await f.member('ada');
    const { id } = await budget({ owner: { user_id: 'ada' }, enforce: 'hard', threshold: 3 });
    const key = await f.keyOf('ada', ['usage:read', 'budgets:check']);
    await f.spend({ user_id: 'bob' }, { user_id: 'bob' }, { user_id: 'ada' });
    const one = await read(id, key);
    expect([one.name, one.current, one.owner]).toEqual(['All', 3, { user_id: 'ada' }]);
    const list = await f.ask('/api/v1/budgets', undefined, { key });
    expect(list.data.map((row: { id: string }) => row.id)).toEqual([id]);
    // No template, it has no people of its own, which does not hide it.
    expect((await f.send(`/api/v1/budgets/${id}/people`, undefined, { key })).status).toBe(409);
    const usage = await f.ask(`/api/v1/budgets/${id}/usage`, undefined, { key });
    expect(usage.users).toEqual([
      { user_id: 'ada', used: 1 },
      { user_id: null, used: 2 },
    ]);
    // A check may be a second behind.
    await statusCache(f.ctx).renew(f.orgId);
    const check = await f.ask('/api/v1/budgets/check', {}, { key });
    expect(check.refused_by.name).toBe('All');
    const other = await f.keyOf('bob', ['usage:read', 'budgets:check']);
    expect((await f.send(`/api/v1/budgets/${id}`, undefined, { key: other })).status).toBe(404);
  });

  it.each(['/api/v1/raises', '/v1/raises'])(
    'reads its name in every answer of %s about a raise that the person asks for',
    async (path) => {
      const ada = await f.person('ada');
      const key = path === '/v1/raises' ? ada : await f.keyOf('ada', ['budgets:check']);
      const { id } = await budget({ owner: { user_id: 'ada' } });
      const asked = await f.ask(path, { budget_id: id, amount: 1 }, { key });
      const one = () => f.ask(`${path}/${asked.id}`, undefined, { key });
      const { data } = await f.ask(path, undefined, { key });
      const answers = [asked, data[0], await one(), await f.ask(`${path}/${asked.id}/withdraw`, {}, { key })];
      expect(answers.map(({ budget_name }) => budget_name)).toEqual(Array(4).fill('All'));
      await change(id, { owner: null });
      expect((await one()).budget_name).toBeNull();
    },
  );

  it.each([
    ['is deleted', async (webhookId: string) => void (await f.remove(`/api/v1/webhooks/${webhookId}`))],
    ['writes to a person who ends the mails', async (_: string, accountId: string) => endMails(accountId)],
    [
      'was made by a person who is removed with it',
      async (webhookId: string) => {
        const made = { $set: { made_by: { user_id: 'ada', key_id: null } } };
        await webhookRows(f.ctx).updateOne({ _id: webhookId }, made);
        await removeMember(f.ctx, f.orgId, 'ada', { revokeMade: true });
      },
    ],
  ])('that is a channel which %s is none', async (_, end) => {
    const ada = await confirmed('ada');
    await memberRows(f.ctx).updateOne({ _id: ada._id }, { $set: { email: 'ada@example.com' } });
    const owner = await channel({ format: 'email', url: 'mailto:ada@example.com' });
    const { id } = await budget({ owner: { webhook_id: owner } });
    await end(owner, ada._id);
    expect(await webhookRows(f.ctx).countDocuments({ _id: owner })).toBe(0);
    expect((await read(id)).owner).toBeNull();
  });

  it('of a template sees the own part of it alone, and is mailed about others only as an admin', async () => {
    const ada = await confirmed('ada');
    const { id } = await budget({ per: 'user', owner: { user_id: 'ada' } });
    const key = await f.keyOf('ada', ['usage:read']);
    await f.spend({ user_id: 'bob' });
    await evaluate();
    const one = await read(id, key);
    expect([one.current, one.top_user_id, one.people]).toEqual([0, 'ada', null]);
    expect(mailsTo(ada.email)).toHaveLength(0);
    await changeMember(f.ctx, f.orgId, 'ada', { role: 'admin' });
    await f.spend({ user_id: 'eve' }, { user_id: 'dan' });
    await evaluate();
    const people = mailsTo(ada.email).map((mail) => String(/Person: (\w+)/.exec(mail)?.[1]));
    expect(people.toSorted()).toEqual(['dan', 'eve']);
  });

  it('of a template of a team that the person is not in sees no usage of it, and no other person', async () => {
    await f.member('ada');
    await f.member('bob', { teams: ['red'] });
    const team = { scope: 'team', scope_id: 'red', per: 'user' };
    const { id } = await budget({ ...team, owner: { user_id: 'ada' } });
    const key = await f.keyOf('ada', ['usage:read']);
    await f.spend({ user_id: 'bob' }, { user_id: 'ada' });
    const [one, usage, people] = await Promise.all([
      read(id, key),
      f.ask(`/api/v1/budgets/${id}/usage`, undefined, { key }),
      f.ask(`/api/v1/budgets/${id}/people`, undefined, { key }),
    ]);
    expect([one.current, usage.users, usage.points.at(-1).total]).toEqual([0, [], 0]);
    expect(people.data).toMatchObject([{ user_id: 'ada', current: 0 }]);
  });

  it.each([
    ['left', async (userId: string) => removeMember(f.ctx, f.orgId, userId)],
    ['was erased', async (userId: string) => void (await eraseMember(f.ctx, f.orgId, userId))],
    ['ended the mails', async (_: string, accountId: string) => endMails(accountId)],
  ])('who %s is none', async (_, end) => {
    const ada = await confirmed('ada');
    const { id } = await budget({ owner: { user_id: 'ada' } });
    const neighbour = await f.tenant();
    await neighbour.member('ada');
    const { _id: theirs } = await neighbour.budget({ owner: { user_id: 'ada' } });
    await end('ada', ada._id);
    const one = await read(id);
    expect([one.owner, one.revision]).toEqual([null, 1]);
    expect((await read(theirs, neighbour.key)).owner).toEqual({ user_id: 'ada' });
    await f.spend({ user_id: 'bob' });
    await evaluate();
    expect(mailsTo(ada.email)).toHaveLength(0);
    expect((await change(id, { owner: { user_id: 'ada' } })).body.errors[0].pointer).toBe('/owner/user_id');
  });

  it('is named by a key that reads usage, and by no other', async () => {
    await f.member('ada');
    const writes = await f.keyOf(null, ['budgets:write']);
    const { id } = await budget();
    expect((await change(id, { owner: { user_id: 'ada' } }, writes)).body.code).toBe('missing_scope');
    expect((await change(id, { owner: { webhook_id: await channel() } }, writes)).status).toBe(200);
    const created = await f.send('/api/v1/budgets', { ...ALL, owner: { user_id: 'ada' } }, { key: writes });
    expect(created.status).toBe(403);
    const named = await change(id, { owner: { user_id: 'ada' } });
    expect([named.body.owner, named.body.revision]).toEqual([{ user_id: 'ada' }, 1]);
    const entries = await f.audited('budget.change');
    expect(JSON.stringify(entries.at(-1)?.details)).toContain('owner');
    expect((await change(id, { owner: null })).body.owner).toBeNull();
  });

  it.each([
    ['a stranger', () => ({ user_id: 'nobody' })],
    ['both', () => ({ user_id: 'ada', webhook_id: 'whk_1' })],
    ['an unknown webhook', () => ({ webhook_id: 'whk_none' })],
    [
      'a webhook of another organization',
      async () => ({ webhook_id: (await (await f.tenant()).webhook(URL_OF_CHANNEL))._id }),
    ],
    ['a webhook of the format json', async () => ({ webhook_id: (await f.webhook(URL_OF_CHANNEL))._id })],
  ])('cannot be %s', async (_, owner) => {
    const { id } = await budget();
    const named = { owner: await owner() };
    const preview = (query: string) => f.send(`/api/v1/budgets/preview${query}`, { ...ALL, ...named });
    const answers = [await change(id, named), await preview(''), await preview(`?budget_id=${id}`)];
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.errors[0].pointer).toContain('/owner');
    }
  });
});

describe('a muted budget', () => {
  const HOUR = 3_600_000;
  const until = () => new Date(f.ctx.clock.now() + HOUR).toISOString();

  it('sends nothing to channels and owner, nor later; a webhook of the format json gets all', async () => {
    const ada = await confirmed('ada');
    const alerts = { events: ['budget.warning', 'budget.exceeded'], alert_at: [50, 100] };
    const asking = await channel(alerts);
    const json = await channel({ ...alerts, format: 'json', secret: SECRET });
    const { id, revision } = await budget({ owner: { user_id: 'ada' } });
    const muted = await change(id, { muted_until: until() });
    expect([muted.status, muted.body.muted_until, muted.body.revision]).toEqual([200, until(), revision]);
    await f.spend({ user_id: 'bob' });
    await evaluate();
    const all = ['budget.exceeded', 'budget.threshold', 'budget.threshold', 'budget.warning'];
    expect([await got(asking), await got(json), mailsTo(ada.email).length]).toEqual([[], all, 0]);
    f.clock.advance(2 * HOUR);
    expect(await change(id, { name: 'Again' })).toMatchObject({ status: 200, body: { muted_until: null } });
    await f.spend({ user_id: 'bob' });
    await evaluate();
    expect([await got(asking), await got(json), mailsTo(ada.email).length]).toEqual([[], all, 0]);
    expect(await budgetRows(f.ctx).countDocuments({ _id: id, revision })).toBe(1);
  });

  it('is muted for an evaluation that meets the change', async () => {
    const asking = await channel();
    const { id } = await budget();
    await f.spend({ user_id: 'bob' });
    const answers: number[] = [];
    const slow = standingStillAfter(f.ctx, budgetWindowRows, async () => {
      answers.push((await change(id, { muted_until: until() })).status);
    });
    await evaluateDue(slow, f.orgId);
    expect([answers, await got(asking)]).toEqual([[200], []]);
  });

  it('stays so while other fields change, and tells again of what happens after the silence was ended', async () => {
    const asking = await channel({ events: ['budget.warning', 'budget.exceeded'] });
    const { id } = await budget({ threshold: 10 });
    await change(id, { muted_until: until() });
    expect((await change(id, { name: 'Else' })).body.muted_until).toBe(until());
    await f.spend(...Array.from({ length: 8 }, () => ({ user_id: 'bob' })));
    await evaluate();
    expect(await got(asking)).toEqual([]);
    expect((await change(id, { muted_until: null })).body.muted_until).toBeNull();
    await f.spend({ user_id: 'bob' }, { user_id: 'bob' });
    await evaluate();
    expect(await got(asking)).toEqual(['budget.exceeded']);
    expect(await eventRows(f.ctx).countDocuments({ org_id: f.orgId, type: 'budget.warning' })).toBe(0);
  });

  it.each(['2026-11-18T09:00:00Z', '2027-12-18T10:00:00Z', '2026-11-19', 'tomorrow'])(
    'cannot be muted until %s',
    async (muted_until) => {
      const { id } = await budget();
      const { status, body } = await change(id, { muted_until });
      expect([status, body.errors[0].pointer]).toEqual([400, '/muted_until']);
    },
  );
});
