import { beforeEach, describe, expect, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { actingAs } from '../../shared/core/accounts/audit/record-audit.ts';
import { deviceRows } from '../../shared/core/accounts/devices/model.ts';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { apiKeyRows } from '../../shared/core/accounts/keys/model.ts';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { eraseMember } from '../../shared/people/erase-member.ts';
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { shardKeys, shardOf } from '../../shared/platform/redis/keys.ts';
import type { DestinationChange } from '../../shared/wings/push/destinations/input.ts';
import { deleteDestination } from '../../shared/wings/push/destinations/manage-destinations.ts';
import { destinationRows } from '../../shared/wings/push/destinations/model.ts';
import { updateDestination } from '../../shared/wings/push/destinations/update-destination.ts';
import { addCodeHost } from '../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import { codeHostRows } from '../../shared/wings/work/code-hosts/model.ts';
import { revokeDevices } from '../../workers/index.ts';
import { FOLDER, makeDestination, newFolder } from '../support/destinations.ts';
import { fixture } from '../support/fixture.ts';
import type { Answer } from '../support/harness.ts';
import { linkDevice, makePerson, type Person } from '../support/people.ts';

const env = { EXPORT_FOLDER: newFolder(), EXPORT_S3_ENDPOINTS: 'https://s3.example.com' };
const { idp, api, ctx } = await fixture({ idp: true, env });
let admin: Person;
let leaving: Person;

beforeEach(async () => {
  admin = await makeAdmin();
  leaving = await makeAdmin(admin.orgId);
});

const makeAdmin = (orgId?: string) => makePerson(ctx, idp, { role: 'admin', ...(orgId ? { orgId } : {}) });
const ask = (person: Person, method: string, path: string, body?: unknown) =>
  api.call(path, { method, key: person.session, ...(body === undefined ? {} : { body }) });

const remove = (by: Person, whom: Person) => ask(by, 'DELETE', `/v1/members/${whom.userId}`);

const webhookInput = {
  url: 'https://example.org/hook',
  events: ['session.ended' as const],
  secret: 'x'.repeat(32),
};

let spends = 0;
/** The status of a new spend. */
async function spend(token: string): Promise<number> {
  spends += 1;
  const headers = { 'Idempotency-Key': `spend-${spends}` };
  const body = { output_sha256: '0'.repeat(64) };
  return (await api.call('/v1/meter/consume', { method: 'POST', key: token, headers, body })).status;
}

/** The keys in force, the webhooks, the destinations and the code hosts of an organization. */
const countThings = async (org_id: string) => [
  await apiKeyRows(ctx).countDocuments({ org_id, revoked_at: null }),
  await webhookRows(ctx).countDocuments({ org_id }),
  await destinationRows(ctx).countDocuments({ org_id }),
  await codeHostRows(ctx).countDocuments({ org_id }),
];

async function present(people: readonly Person[]): Promise<Person[]> {
  const ids = people.map(({ accountId }) => accountId);
  const here = new Set(await memberRows(ctx).distinct('_id', { _id: { $in: ids }, removed_at: null }));
  return people.filter(({ accountId }) => here.has(accountId));
}

describe('a removal', () => {
  test.each([
    ['two', 0],
    ['two of three', 1],
  ])('that is refused revokes nothing: of %s admins who remove each other one stays', async (_, others) => {
    for (let round = 0; round < 3; round += 1) {
      const one = await makeAdmin();
      const pair = [one, await makeAdmin(one.orgId)] as const;
      for (let made = 0; made < others; made += 1) await makeAdmin(one.orgId);
      const tokens = new Map<Person, string>();
      for (const person of pair) tokens.set(person, (await linkDevice(api, person)).access_token);
      await Promise.all([remove(...pair), remove(pair[1], pair[0])]);
      const left = await present(pair);
      expect(left).toHaveLength(1);
      const { body } = await ask(left[0] ?? one, 'GET', '/v1/devices');
      expect(body.devices).toMatchObject([{ status: 'active' }]);
      for (const person of pair)
        expect(await spend(tokens.get(person) ?? '')).toBe(left.includes(person) ? 200 : 401);
    }
  });

  test('holds when Redis takes no end of a device, and a worker ends the device then', async () => {
    const { access_token, device_id } = await linkDevice(api, leaving);
    const { epoch } = shardKeys(shardOf(leaving.accountId));
    const identity = (await ctx.redis.meter.get(epoch)) ?? '';
    await ctx.redis.meter.del(epoch);
    expect((await remove(admin, leaving)).body).toMatchObject({ status: 504, code: 'outcome_unknown' });
    expect(await present([leaving])).toEqual([]);
    const due = () => dueRows(ctx).findOne({ kind: revokeDevices.kind, key: leaving.accountId });
    expect(await due()).not.toBeNull();
    await ctx.redis.meter.set(epoch, identity);
    expect(await spend(access_token)).toBe(200);
    await revokeDevices.handle({ key: leaving.accountId }, ctx);
    expect(await spend(access_token)).toBe(401);
    expect((await deviceRows(ctx).findOne({ _id: device_id }))?.status).toBe('revoked');
    expect(await due()).toBeNull();
  });
});

describe('an admin who was let in and is demoted', () => {
  const asAdmin = { email: 'friend@example.org', role: 'admin' } as const;
  const ofAdmin = { scopes: [...SCOPES], role: 'admin' as const };
  const late: [string, () => Promise<unknown>][] = [
    ['makes no key', () => createApiKey(ctx, { org_id: admin.orgId, ...ofAdmin })],
    ['makes no webhook', () => createWebhook(ctx, admin.orgId, webhookInput)],
    ['makes no destination', () => makeDestination(ctx, admin.orgId)],
    ['makes no code host', () => addCodeHost(ctx, admin.orgId, { provider: 'github' })],
    ['invites nobody', () => addMember(ctx, { org_id: admin.orgId, ...asAdmin })],
    ['gives no role', () => changeMember(ctx, admin.orgId, leaving.userId, { role: 'admin' })],
    ['removes nobody', () => removeMember(ctx, admin.orgId, 'somebody')],
  ];
  test.each(late)('%s', async (_, act) => {
    const demote = () => changeMember(ctx, admin.orgId, leaving.userId, { role: 'member' });
    await Promise.allSettled([demote(), actingAs(leaving.accountId, act)]);
    const made = await countThings(admin.orgId);
    const role = (await memberRows(ctx).findOne({ _id: leaving.accountId }))?.role;
    // Made before the demotion: then the demotion asks what becomes of it.
    expect(role).toBe(made.some((count) => count > 0) ? 'admin' : 'member');
    await changeMember(ctx, admin.orgId, leaving.userId, { role: 'member' }, { revokeMade: true });
    await expect(actingAs(leaving.accountId, act)).rejects.toMatchObject({ code: 'missing_scope' });
  });

  test('rotates no key of the organization', async () => {
    const { key_id } = await createApiKey(ctx, { org_id: admin.orgId, scopes: ['usage:read'] });
    await changeMember(ctx, admin.orgId, leaving.userId, { role: 'member' });
    const rotation = actingAs(leaving.accountId, () => rotateApiKey(ctx, key_id, 0, 'admin'));
    await expect(rotation).rejects.toMatchObject({ code: 'missing_scope' });
  });
});

test('a key that was let in and is revoked makes no webhook', async () => {
  const { key_id } = await createApiKey(ctx, { org_id: admin.orgId, scopes: ['webhooks:write'] });
  const create = () => actingAs(key_id, () => createWebhook(ctx, admin.orgId, webhookInput));
  expect((await create()).made_by).toEqual({ user_id: null, key_id });
  await revokeApiKey(ctx, key_id);
  await expect(create()).rejects.toMatchObject({ code: 'unauthorized' });
});

describe('the things that a person made', () => {
  const scopes = ['usage:read', 'webhooks:write'];
  const server = { endpoint: 'https://s3.example.com', region: 'eu-central-1', bucket: 'my-own-bucket' };
  const credential = { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'secret' };
  const lake = { ...FOLDER, kind: 's3', ...server, ...credential };
  const host = { provider: 'gitlab', name: 'Acme' };
  let own: Made;
  let elsewhere: Made & { orgId: string };

  type Made = Awaited<ReturnType<typeof makeThings>>;

  /** One of each kind and way: a key of everybody, one of somebody else, one of their own, and things made with a key or a session. */
  async function makeThings(person: Person) {
    const must = async (method: string, path: string, body: unknown, key = person.session) => {
      const answer = await api.call(path, { method, key, body });
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    };
    const free = await must('POST', '/v1/keys', { name: 'free', scopes: [...scopes, 'exports:write'] });
    const bound = (user_id: string) => ({ name: 'bound', scopes, user_id });
    const foreign = await must('POST', '/v1/keys', bound('ada'));
    await must('POST', '/v1/keys', bound(person.userId));
    const webhook = (await api.call('/api/v1/webhooks', { key: free.key, body: webhookInput })).body;
    const destination = await must('POST', '/api/v1/destinations', lake, free.key);
    const { secret: _, ...codeHost } = await must('POST', '/v1/code-hosts', host);
    return { free, foreign, webhook, destination, codeHost };
  }

  beforeEach(async () => {
    own = await makeThings(leaving);
    const other = await makePerson(ctx, idp, { role: 'admin', userId: leaving.userId });
    elsewhere = { ...(await makeThings(other)), orgId: other.orgId };
  });

  const made = () => ({
    keys: [
      { id: own.free.id, name: 'free', user_id: null },
      { id: own.foreign.id, name: 'bound', user_id: 'ada' },
    ],
    webhooks: [{ id: own.webhook.id, url: webhookInput.url }],
    destinations: [{ id: own.destination.id, name: lake.name, bucket: lake.bucket }],
    code_hosts: [{ id: own.codeHost.id, ...host }],
  });
  const works = async (key: string) => (await api.call('/api/v1/sessions', { key })).status;
  const erase = async (query: string): Promise<Pick<Answer, 'status' | 'body'>> => {
    const revoke = new URLSearchParams(query).get('revoke_made');
    const decided = revoke === null ? {} : { revokeMade: revoke === 'true' };
    return actingAs(admin.accountId, () => eraseMember(ctx, admin.orgId, leaving.userId, decided)).then(
      () => ({ status: 204, body: undefined }),
      ({ code, extra }) => ({ status: 409, body: { code, ...extra } }),
    );
  };
  const actions: [string, (query: string) => Promise<Pick<Answer, 'status' | 'body'>>][] = [
    ['removal', (query) => ask(admin, 'DELETE', `/v1/members/${leaving.userId}${query}`)],
    ['demotion', (query) => ask(admin, 'PATCH', `/v1/members/${leaving.userId}${query}`, { role: 'member' })],
    ['erasure', erase],
  ];

  test('are shown with their maker', async () => {
    const { body } = await ask(admin, 'GET', '/v1/keys');
    const bySession = { user_id: leaving.userId, key_id: null };
    for (const { made_by } of body.data) expect(made_by).toEqual(bySession);
    const byKey = { user_id: leaving.userId, key_id: own.free.id };
    const read = async (path: string) => (await api.call(path, { key: own.free.key })).body;
    const { webhook, destination, codeHost } = own;
    expect((await read('/api/v1/webhooks')).data[0].made_by).toEqual(byKey);
    expect((await read(`/api/v1/webhooks/${webhook.id}`)).made_by).toEqual(byKey);
    expect(Object.keys(webhook).toSorted()).toEqual(['created_at', 'enabled', 'events', 'id', 'url']);
    expect((await read('/api/v1/destinations')).data).toEqual([{ ...destination, made_by: byKey }]);
    expect((await ask(admin, 'GET', '/v1/code-hosts')).body.data).toEqual([
      { ...codeHost, made_by: bySession },
    ]);
    const rotated = await ask(admin, 'POST', `/v1/keys/${own.free.id}/rotate`, {});
    expect(rotated.body.made_by).toEqual({ user_id: admin.userId, key_id: null });
  });

  test.each(actions)('have to be decided about at the %s', async (_, act) => {
    const refused = await act('');
    expect([refused.status, refused.body.code]).toEqual([409, 'revoke_made_needed']);
    expect(refused.body.made).toEqual(made());
    expect((await memberRows(ctx).findOne({ _id: leaving.accountId }))?.role).toBe('admin');
    expect(await present([leaving])).toHaveLength(1);
    expect(await countThings(admin.orgId)).toEqual([3, 1, 1, 1]);
  });

  test.each(actions)('end with the %s where that is asked for, and nobody else’s do', async (name, act) => {
    const { _id } = await makeDestination(ctx, admin.orgId, { prefix: 'of-the-operator' });
    expect((await act('?revoke_made=true')).status).toBeLessThan(300);
    expect([await works(own.free.key), await works(own.foreign.key)]).toEqual([401, 401]);
    // The key that is bound to the person ends with the person, and is a member's own.
    expect(await countThings(admin.orgId)).toEqual([name === 'demotion' ? 1 : 0, 0, 1, 0]);
    expect(await destinationRows(ctx).countDocuments({ _id })).toBe(1);
    expect(await dueRows(ctx).countDocuments({ key: own.destination.id })).toBe(0);
    const entries = await auditRows(ctx).find({ org_id: admin.orgId }).toArray();
    const named = entries.map(({ action, details }) => `${action} ${String(Object.values(details)[0])}`);
    const { free, foreign, webhook, destination, codeHost } = own;
    const revoked = [`key.revoke ${free.id}`, `key.revoke ${foreign.id}`];
    const deleted = [`webhook.delete ${webhook.id}`, `destination.delete ${destination.id}`];
    const ended = [...revoked, ...deleted, `code_host.delete ${codeHost.id}`];
    expect(named).toEqual(expect.arrayContaining(ended));
    expect((await act('')).status).toBeLessThan(300);
    expect(await countThings(elsewhere.orgId)).toEqual([3, 1, 1, 1]);
  });

  test.each(actions)('go on after the %s where that is asked for', async (_, act) => {
    expect((await act('?revoke_made=false')).status).toBeLessThan(300);
    expect([await works(own.free.key), await works(own.foreign.key)]).toEqual([200, 200]);
    expect((await countThings(admin.orgId)).slice(1)).toEqual([1, 1, 1]);
    const kept = { org_id: admin.orgId, 'details.kept': { $exists: true } };
    const entry = await auditRows(ctx).findOne(kept);
    const ids = Object.entries(made()).map(([kind, things]) => [kind, things.map(({ id }) => id)]);
    expect(entry?.details.kept).toEqual(Object.fromEntries(ids));
  });

  const endKeys = async () => {
    for (const { id } of [own.free, own.foreign]) await ask(admin, 'DELETE', `/v1/keys/${id}`);
  };
  const endings: [string, () => Promise<unknown>][] = [
    ['keys', endKeys],
    ['webhooks', () => webhookRows(ctx).deleteOne({ _id: own.webhook.id })],
    ['destinations', () => deleteDestination(ctx, admin.orgId, own.destination.id)],
    ['code_hosts', () => ask(admin, 'DELETE', `/v1/code-hosts/${own.codeHost.id}`)],
  ];

  test.each(endings)(
    'are asked about where only %s are left, and not once these have ended too',
    async (kind, end) => {
      for (const [other, endOther] of endings) if (other !== kind) await endOther();
      const refused = await remove(admin, leaving);
      const left = Object.entries(made()).map(([name, things]) => [name, name === kind ? things : []]);
      expect(refused.body.made).toEqual(Object.fromEntries(left));
      await end();
      expect((await remove(admin, leaving)).status).toBe(204);
    },
  );

  test('are those of the admin who names another server or bucket of a destination, and of nobody for another change', async () => {
    const change = async (body: DestinationChange) => {
      const update = () => updateDestination(ctx, admin.orgId, own.destination.id, body);
      return (await actingAs(admin.accountId, update)).made_by?.user_id;
    };
    for (const same of [{ name: 'Lake' }, { prefix: 'other' }, { secret_access_key: 'another' }])
      expect(await change(same)).toBe(leaving.userId);
    expect(await change({ bucket: 'the-bucket-of-acme' })).toBe(admin.userId);
    expect((await remove(admin, leaving)).body.made.destinations).toEqual([]);
  });
});
