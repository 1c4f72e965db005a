import { beforeEach, describe, expect, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { actingAs } from '../../shared/core/accounts/audit/record-audit.ts';
import { newCredentialId } from '../../shared/core/accounts/keys/credential.ts';
import { createKey } from '../../shared/core/accounts/keys/manage-keys.ts';
import { apiKeyRows, keyRetention } from '../../shared/core/accounts/keys/model.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { type Member, memberRows, organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { purge } from '../../shared/core/retention/purge.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import type { Role } from '../../shared/platform/basics/contract.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { fixture } from '../support/fixture.ts';
import { makePerson, type Person } from '../support/people.ts';

const f = await fixture({ clock: true, idp: true, admin: true, perTest: true });
const { idp, clock, api } = f;
let admin: Person;
let member: Person;
let stranger: Person;

beforeEach(async () => {
  ({ admin } = f);
  member = await f.person();
  stranger = await makePerson(api.ctx, idp, { role: 'admin' });
});

const ask = (key: Person, method: string, path: string, body?: unknown) =>
  f.send(path, body, { method, key });
const add = (email: string, role = 'member', key = admin) => ask(key, 'POST', '/v1/members', { email, role });
const makeKey = (by: Person, more: object = {}) =>
  ask(by, 'POST', '/v1/keys', { name: 'laptop', scopes: ['signals:write', 'usage:read'], ...more });
const rotate = (by: Person, id: string, body: object = {}) => ask(by, 'POST', `/v1/keys/${id}/rotate`, body);
const keys = async (by: Person, query = '') => (await ask(by, 'GET', `/v1/keys${query}`)).body;
const emails = async () => (await ask(admin, 'GET', '/v1/organization')).body.admin_emails;
/** Copies of a row, but for its id. */
const copies = <Row extends object>(count: number, row: Row | null, change: () => object) =>
  Array.from({ length: count }, () => ({ ...(row as Row), ...change() }));

/** Adds members like the one of the test, with these fields. */
async function addCopies(count: number, fields: object = {}): Promise<void> {
  const { idp: _, ...kept } = (await memberRows(api.ctx).findOne({ user_id: member.userId })) as Member;
  const another = () => ({ ...fields, _id: newId('usr'), user_id: newId('usr') });
  await memberRows(api.ctx).insertMany(copies(count, kept, another));
}

describe('members', () => {
  test('are invited, listed, changed and removed by an admin', async () => {
    const given = { role: 'member', name: 'New', teams: ['red'] };
    const made = await ask(admin, 'POST', '/v1/members', { ...given, email: 'New@Example.org' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...given,
      user_id: expect.stringMatching(/^usr_/),
      email: 'new@example.org',
      linked: false,
      declined: false,
      created_at: Math.floor(clock.now() / 1_000),
    });
    const path = `/v1/members/${made.body.user_id}`;
    const changed = await ask(admin, 'PATCH', path, { role: 'admin', teams: ['blue'] });
    expect(changed.body).toMatchObject({ role: 'admin', teams: ['blue'], name: 'New' });
    const listed = await ask(admin, 'GET', '/v1/members');
    expect(listed.body.data).toContainEqual({ ...changed.body, last_signal_at: null });
    const { body: organization } = await ask(admin, 'GET', '/v1/organization');
    expect(organization.admin_emails).toContain('new@example.org');
    expect(organization.teams).toEqual(expect.arrayContaining(['red', 'blue']));
    for (const _time of [1, 2]) expect((await ask(admin, 'DELETE', path)).status).toBe(204);
    expect((await ask(admin, 'PATCH', path, { name: 'x' })).status).toBe(404);
  });

  test.each([
    ['/v1/members', (email: string) => ({ email })],
    ['/v1/invitations', (email: string) => ({ emails: [email], mail: false })],
  ])(
    'added by POST %s are addresses of admins where they are admins, and only then',
    async (path, fields) => {
      const before = await emails();
      for (const role of ['member', 'admin']) {
        const body = { ...fields(`${role}@example.org`), role };
        expect((await ask(admin, 'POST', path, body)).status).toBeLessThan(300);
      }
      expect(await emails()).toEqual([...before, 'admin@example.org']);
    },
  );

  test('are listed with the time of their newest signal, however long ago, and not of the end of its session', async () => {
    const old = clock.now() - 20 * 86_400_000;
    const fresh = clock.now() - 60_000;
    await f.spend(
      { ts: old, user_id: member.userId },
      { ts: old - 3_600_000, user_id: member.userId },
      { ts: fresh, user_id: admin.userId },
      { ts: fresh - 86_400_000, user_id: admin.userId },
    );
    const [{ id }] = (await f.ask(`/api/v1/sessions?user_id=${admin.userId}&state=open`)).data;
    await f.ask(`/api/v1/sessions/${id}/close`, undefined, { method: 'POST' });
    const idle = await f.person();
    const { body } = await ask(admin, 'GET', '/v1/members');
    const timeOf = ({ userId }: Person) =>
      body.data.find(({ user_id }: { user_id: string }) => user_id === userId).last_signal_at;
    const times = [member, admin, idle].map(timeOf);
    expect(times).toEqual([Math.floor(old / 1_000), Math.floor(fresh / 1_000), null]);
  });

  test('may be in at most 1,000 different teams together, also by changes at one moment', async () => {
    const teams = Array.from({ length: 999 }, (_, index) => `team ${index}`);
    await organizationRows(api.ctx).updateOne({ _id: admin.orgId }, { $set: { teams } });
    const change = ({ userId }: Person, ...of: string[]) =>
      ask(admin, 'PATCH', `/v1/members/${userId}`, { teams: of });
    const two = [change(member, 'team 1', 'one'), change(admin, 'another')];
    expect((await Promise.all(two)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 409,
    ]);
    const invited = { email: 'x@e.org', role: 'member', teams: ['too many'] };
    for (const refused of [
      await change(member, 'too many'),
      await ask(admin, 'POST', '/v1/members', invited),
    ])
      expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await change(member, 'team 2')).status).toBe(200);
    expect((await ask(admin, 'GET', '/v1/organization')).body.teams).toHaveLength(1_000);
  });

  test('come in pieces when they are many, so that nobody waits for the list, and are at most 10,000', async () => {
    await addCopies(9_997);
    await addCopies(2, { removed_at: new Date(clock.now()) });
    const { headers, body } = await ask(admin, 'GET', '/v1/members');
    expect(headers.get('transfer-encoding')).toBe('chunked');
    expect(body.data).toHaveLength(9_999);
    expect((await add('last@example.org')).status).toBe(201);
    expect((await add('more@example.org')).body).toMatchObject({ status: 409, code: 'conflict' });
  });

  test('of another organization are not there', async () => {
    for (const [method, body] of [['PATCH', { name: 'x' }], ['DELETE']] as const)
      expect((await ask(stranger, method, `/v1/members/${member.userId}`, body)).status).toBe(404);
  });

  test('always have an admin who has joined, also when two demote each other at one moment', async () => {
    const invited = { email: 'typo@example.org', role: 'admin', user_id: 'invited' };
    expect((await ask(admin, 'POST', '/v1/members', invited)).status).toBe(201);
    const demote = (by: Person, { userId }: Person) =>
      ask(by, 'PATCH', `/v1/members/${userId}`, { role: 'member' });
    expect((await demote(admin, admin)).status).toBe(409);
    expect((await ask(admin, 'DELETE', `/v1/members/${admin.userId}`)).status).toBe(409);
    expect((await ask(admin, 'DELETE', '/v1/members/invited')).status).toBe(204);
    const second = await f.person(undefined, 'admin');
    const answers = await Promise.all([demote(admin, second), demote(second, admin)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('are invited once by one e-mail, also when two admins do so at one moment', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => add('twice@example.org')));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    const other = await add('other@example.org');
    const path = `/v1/members/${other.body.user_id}`;
    expect((await ask(admin, 'PATCH', path, { email: 'Twice@example.org' })).status).toBe(409);
    expect((await ask(admin, 'PATCH', path, { email: 'other@example.org' })).status).toBe(200);
    expect((await add('twice@example.org', 'member', stranger)).status).toBe(201);
  });

  test.each(['after', 'during'])('leave no key behind that is made %s their removal', async (order) => {
    for (let round = 0; round < 5; round += 1) {
      const leaving = await f.person();
      const manager = { orgId: leaving.orgId, userId: leaving.userId, role: 'member' as const };
      const input = { name: 'late', scopes: ['usage:read' as const] };
      // The person was let in; the removal overtakes the rest of the request.
      const removal = removeMember(api.ctx, leaving.orgId, leaving.userId);
      if (order === 'after') await removal;
      const creation = actingAs(leaving.accountId, () => createKey(api.ctx, manager, input));
      await Promise.allSettled([removal, creation]);
      const keys = await apiKeyRows(api.ctx).find({ user_id: leaving.userId }).toArray();
      expect(keys.filter(({ revoked_at }) => revoked_at === null)).toEqual([]);
    }
  });

  test.each([
    { email: 'nobody', role: 'member' },
    { email: 'a@example.org', role: 'owner' },
  ])('are not made of %j', async (body) => {
    expect((await ask(admin, 'POST', '/v1/members', body)).status).toBe(400);
  });
});

describe('keys', () => {
  test('are made, shown once, listed and revoked', async () => {
    const made = await makeKey(member);
    const { key, ...view } = made.body;
    const given = { name: 'laptop', scopes: ['signals:write', 'usage:read'], user_id: member.userId };
    const none = { project_id: null, expires_at: null, revoked_at: null, last_used_at: null };
    expect(view).toEqual({
      ...given,
      ...none,
      id: expect.any(String),
      made_by: { user_id: member.userId, key_id: null },
      created_at: Math.floor(clock.now() / 1_000),
    });
    expect((await api.call('/api/v1/sessions', { key })).status).toBe(200);
    const listed = await ask(member, 'GET', '/v1/keys');
    expect(listed.text).not.toContain(key);
    expect(listed.body.data).toHaveLength(1);
    for (const _time of [1, 2]) expect((await ask(member, 'DELETE', `/v1/keys/${view.id}`)).status).toBe(204);
    expect((await api.call('/api/v1/sessions', { key })).status).toBe(401);
    expect((await rotate(member, view.id)).status).toBe(409);
  });

  test('of a member are bound to that member and hold no more than two scopes', async () => {
    const tooMuch = [['webhooks:write'], ['signals:write', 'org:read']].map((scopes) => ({ scopes }));
    for (const more of [{ user_id: admin.userId }, ...tooMuch])
      expect((await makeKey(member, more)).status).toBe(403);
  });

  test('of an admin may be anybody’s; a member sees the own alone', async () => {
    const made = await makeKey(admin, { scopes: ['org:read'], expires_at: 4e9 });
    expect(made.body).toMatchObject({ user_id: null, expires_at: 4e9 });
    for (const query of ['', `?user_id=${admin.userId}`])
      expect((await keys(member, query)).data).toEqual([]);
    expect((await keys(admin)).total).toBe(2);
    const { body: bound } = await makeKey(admin, { user_id: member.userId });
    const { data: own } = await keys(admin, `?user_id=${member.userId}`);
    expect(own.map(({ id }: { id: string }) => id)).toEqual([bound.id]);
    for (const person of [member, stranger]) {
      expect((await ask(person, 'DELETE', `/v1/keys/${made.body.id}`)).status).toBe(404);
      expect((await rotate(person, made.body.id)).status).toBe(404);
    }
  });

  test('are rotated again within the grace: the third lives as long as the first was to live', async () => {
    const made = await makeKey(member, { expires_at: 4e9 });
    const graceEnd = Math.floor(clock.now() / 1_000) + 60;
    expect((await rotate(member, made.body.id, { grace_s: 60 })).body.expires_at).toBe(4e9);
    expect((await rotate(member, made.body.id, { grace_s: 3_600 })).body.expires_at).toBe(4e9);
    const { data } = await keys(member);
    const ends = data.map(({ expires_at }: { expires_at: number }) => expires_at);
    expect(ends.toSorted((a: number, b: number) => a - b)).toEqual([graceEnd, 4e9, 4e9]);
  });

  test('with scopes that only an admin gives are rotated by an admin', async () => {
    const scopes = ['signals:write', 'budgets:write'];
    const made = await makeKey(admin, { scopes, user_id: member.userId });
    expect((await rotate(member, made.body.id)).body).toMatchObject({ status: 403, code: 'missing_scope' });
    expect((await rotate(admin, made.body.id)).body).toMatchObject({ scopes, user_id: member.userId });
  });

  test('are at most 50 live ones per user, also when they are made at once; one of them is rotated', async () => {
    for (let round = 0; round < 4; round += 1)
      await Promise.all(Array.from({ length: 12 }, () => makeKey(member)));
    const answers = await Promise.all([1, 2, 3, 4].map(() => makeKey(member)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 409, 409]);
    const refused = await makeKey(admin, { user_id: member.userId });
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_keys']);
    expect((await makeKey(admin)).status).toBe(201);
    const [first, second, third] = (await keys(member, '?limit=3')).data;
    expect((await rotate(member, first.id)).status).toBe(201);
    expect((await rotate(member, second.id)).status).toBe(409);
    await ask(member, 'DELETE', `/v1/keys/${second.id}`);
    await ask(member, 'DELETE', `/v1/keys/${third.id}`);
    expect((await makeKey(member)).status).toBe(201);
    expect((await makeKey(member)).status).toBe(409);
  });

  test('are at most 1,000 live ones per organization', async () => {
    const made = await makeKey(admin);
    const row = await apiKeyRows(api.ctx).findOne({ _id: made.body.id });
    const now = new Date(clock.now());
    const add = (count: number, change: object) =>
      apiKeyRows(api.ctx).insertMany(copies(count, row, () => ({ ...change, _id: newCredentialId() })));
    await add(997, {});
    await add(50, { revoked_at: now });
    await add(50, { expires_at: now });
    expect((await makeKey(admin)).status).toBe(201);
    expect((await makeKey(member)).body).toMatchObject({ status: 409, code: 'too_many_keys' });
  });

  test('are listed for 30 days after their end, and then forgotten', async () => {
    const ends = { expires_at: Math.floor(clock.now() / 1_000) + 60 };
    const made: string[] = [];
    for (const more of [{}, ends, {}, {}]) made.push((await makeKey(member, { ...more })).body.id);
    await ask(member, 'DELETE', `/v1/keys/${made[0]}`);
    await rotate(member, made[2] ?? '', { grace_s: 60 });
    const left = () => apiKeyRows(api.ctx).countDocuments({ _id: { $in: made } });
    const startMs = clock.now();
    clock.advance(30 * 86_400_000);
    await purge(api.ctx, [keyRetention]);
    expect(await left()).toBe(4);
    clock.advance(61_000);
    await purge(api.ctx, [keyRetention]);
    expect(await left()).toBe(1);
    clock.set(startMs);
  });

  test('do not begin expired', async () => {
    const past = Math.floor(clock.now() / 1_000) - 1;
    expect((await makeKey(member, { expires_at: past })).status).toBe(400);
  });
});

describe('the organization', () => {
  test('is read and changed; a timezone holds from tomorrow, the plan is not theirs to change', async () => {
    const change = { name: 'Renamed', timezone: 'Europe/Berlin', session_timeout: 600, k_anonymity: 7 };
    const { status, body } = await ask(admin, 'PATCH', '/v1/organization', change);
    expect(status).toBe(200);
    const zones = { timezone: 'UTC', next_timezone: { timezone: 'Europe/Berlin' } };
    expect(body).toMatchObject({ ...change, ...zones, id: admin.orgId, plan: 'team' });
    expect(body.next_timezone.from * 1_000).toBeGreaterThan(clock.now());
    expect((await ask(admin, 'GET', '/v1/organization')).body).toEqual(body);
    const back = await ask(admin, 'PATCH', '/v1/organization', { timezone: 'UTC' });
    expect(back.body).toMatchObject({ timezone: 'UTC', next_timezone: null });
    for (const wrong of [{ plan: 'enterprise' }, { k_anonymity: 4 }, { session_timeout: 59 }, {}])
      expect((await ask(admin, 'PATCH', '/v1/organization', wrong)).status).toBe(400);
  });
});

test('who leaves gets no alerts any more, however the address was written', async () => {
  const { body } = await add('leaver@example.org', 'admin');
  const typed = ['Leaver@Example.org', 'ops@example.org', 'Ops@example.org'];
  const changed = await ask(admin, 'PATCH', '/v1/organization', { admin_emails: typed });
  expect(changed.body.admin_emails).toEqual(['leaver@example.org', 'ops@example.org']);
  const created = await createOrganization(api.ctx, { name: 'New', plan: 'free', admin_emails: typed });
  expect(created.admin_emails).toEqual(changed.body.admin_emails);
  await ask(admin, 'PATCH', '/v1/organization', { admin_emails: typed.slice(0, 1) });
  await ask(admin, 'DELETE', `/v1/members/${body.user_id}`);
  expect(await emails()).toEqual([]);
});

test.each<{ was: Role; named: boolean; change: { role?: Role; email?: string }; is: string | null }>([
  { was: 'member', named: false, change: { role: 'admin' }, is: 'one@example.org' },
  { was: 'member', named: true, change: { role: 'admin' }, is: 'one@example.org' },
  { was: 'admin', named: true, change: { role: 'member' }, is: null },
  { was: 'admin', named: false, change: { role: 'member' }, is: null },
  { was: 'admin', named: true, change: { role: 'member', email: 'new@example.org' }, is: null },
  { was: 'member', named: true, change: { email: 'new@example.org' }, is: 'new@example.org' },
  { was: 'member', named: false, change: { email: 'new@example.org' }, is: null },
  { was: 'admin', named: true, change: { email: 'new@example.org' }, is: 'new@example.org' },
  { was: 'admin', named: false, change: { email: 'new@example.org' }, is: null },
])(
  'the admin e-mails name admins, and members whom they named, until they leave: $was, named: $named, $change',
  async (row) => {
    const { body } = await add('one@example.org', row.was);
    const named = row.named ? ['ops@example.org', 'one@example.org'] : ['ops@example.org'];
    await ask(admin, 'PATCH', '/v1/organization', { admin_emails: named });
    const path = `/v1/members/${body.user_id}`;
    expect((await ask(admin, 'PATCH', path, row.change)).status).toBe(200);
    expect(await emails()).toEqual(['ops@example.org', ...(row.is === null ? [] : [row.is])]);
    await ask(admin, 'DELETE', path);
    expect(await emails()).toEqual(['ops@example.org']);
  },
);

test('the audit log counts what it shows, also before what is too old has been purged', async () => {
  const read = async () => (await ask(admin, 'GET', '/v1/audit?limit=100')).body;
  const before = await read();
  const at = new Date(clock.now() - (api.ctx.config.auditRetentionDays + 1) * 86_400_000);
  const entry = { actor: member.accountId, action: 'key.create', org_id: admin.orgId, details: {} };
  await auditRows(api.ctx).insertOne({ _id: newId('aud'), at, ...entry });
  const { total, data } = await read();
  expect([total, data.length]).toEqual([before.data.length, before.data.length]);
});
