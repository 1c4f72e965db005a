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
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { shardKeys, shardOf } from '../../shared/platform/redis/keys.ts';
import { revokeDevices } from '../../workers/index.ts';
import { fixture } from '../support/fixture.ts';
import type { Answer } from '../support/harness.ts';
import { linkDevice, makePerson, type Person } from '../support/people.ts';

const { idp, api, ctx } = await fixture({ idp: true });
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

async function present(people: readonly Person[]): Promise<Person[]> {
  const ids = people.map(({ accountId }) => accountId);
  const here = new Set(await memberRows(ctx).distinct('_id', { _id: { $in: ids }, removed_at: null }));
  return people.filter(({ accountId }) => here.has(accountId));
}

describe('a removal', () => {
  test('that is refused revokes nothing: of two admins who remove each other one keeps everything', async () => {
    for (let round = 0; round < 3; round += 1) {
      const one = await makeAdmin();
      const other = await makeAdmin(one.orgId);
      const pair = [one, other];
      const tokens = new Map<Person, string>();
      for (const person of pair) tokens.set(person, (await linkDevice(api, person)).access_token);
      await Promise.all([remove(one, other), remove(other, one)]);
      const [left, ...others] = await present(pair);
      expect(others).toEqual([]);
      if (!left) throw new Error('both are gone');
      const { body } = await ask(left, 'GET', '/v1/devices');
      expect(body.devices.map(({ status }: { status: string }) => status)).toEqual(['active']);
      for (const person of pair)
        expect(await spend(tokens.get(person) ?? '')).toBe(person === left ? 200 : 401);
    }
  });

  test('by an admin who is removed at that moment is refused: of two of three one stays', async () => {
    for (let round = 0; round < 3; round += 1) {
      const pair = [await makeAdmin(admin.orgId), await makeAdmin(admin.orgId)] as const;
      await Promise.all([remove(pair[0], pair[1]), remove(pair[1], pair[0])]);
      expect(await present(pair)).toHaveLength(1);
    }
  });

  test('holds when Redis takes no end of a device, and a worker ends the device then', async () => {
    const { access_token, device_id } = await linkDevice(api, leaving);
    const { epoch } = shardKeys(shardOf(leaving.accountId));
    const identity = (await ctx.redis.meter.get(epoch)) ?? '';
    await ctx.redis.meter.del(epoch);
    const refused = await remove(admin, leaving);
    expect([refused.status, refused.body.code]).toEqual([504, 'outcome_unknown']);
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
    ['invites nobody', () => addMember(ctx, { org_id: admin.orgId, ...asAdmin })],
    ['gives no role', () => changeMember(ctx, admin.orgId, leaving.userId, { role: 'admin' })],
    ['removes nobody', () => removeMember(ctx, admin.orgId, 'somebody')],
  ];
  test.each(late)('%s', async (_, act) => {
    const demote = () => changeMember(ctx, admin.orgId, leaving.userId, { role: 'member' });
    await Promise.allSettled([demote(), actingAs(leaving.accountId, act)]);
    const keys = await apiKeyRows(ctx).countDocuments({ org_id: admin.orgId });
    const webhooks = await webhookRows(ctx).countDocuments({ org_id: admin.orgId });
    const role = (await memberRows(ctx).findOne({ _id: leaving.accountId }))?.role;
    // Made before the demotion: then the demotion asks what becomes of it.
    expect(role).toBe(keys + webhooks > 0 ? 'admin' : 'member');
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

describe('what a person made', () => {
  const scopes = ['usage:read', 'webhooks:write'];
  let free: Answer['body'];
  let foreign: Answer['body'];
  let webhook: Answer['body'];

  beforeEach(async () => {
    ({ body: free } = await ask(leaving, 'POST', '/v1/keys', { name: 'free', scopes }));
    const bound = (user_id: string) => ({ name: 'bound', scopes, user_id });
    ({ body: foreign } = await ask(leaving, 'POST', '/v1/keys', bound('ada')));
    await ask(leaving, 'POST', '/v1/keys', bound(leaving.userId));
    ({ body: webhook } = await api.call('/api/v1/webhooks', { key: free.key, body: webhookInput }));
  });

  const made = () => ({
    keys: [
      { id: free.id, name: 'free', user_id: null },
      { id: foreign.id, name: 'bound', user_id: 'ada' },
    ],
    webhooks: [{ id: webhook.id, url: webhookInput.url }],
  });
  const works = async (key: string) => (await api.call('/api/v1/sessions', { key })).status;
  const count = () => webhookRows(ctx).countDocuments({ org_id: admin.orgId });
  const actions: [string, (query: string) => Promise<Answer>][] = [
    ['removal', (query) => ask(admin, 'DELETE', `/v1/members/${leaving.userId}${query}`)],
    ['demotion', (query) => ask(admin, 'PATCH', `/v1/members/${leaving.userId}${query}`, { role: 'member' })],
  ];

  test('is shown with its maker', async () => {
    const { body } = await ask(admin, 'GET', '/v1/keys');
    for (const { made_by } of body.data) expect(made_by).toEqual({ user_id: leaving.userId, key_id: null });
    const made_by = { user_id: leaving.userId, key_id: free.id };
    const listed = await api.call('/api/v1/webhooks', { key: free.key });
    expect(listed.body.data[0].made_by).toEqual(made_by);
    const read = await api.call(`/api/v1/webhooks/${webhook.id}`, { key: free.key });
    expect(read.body.made_by).toEqual(made_by);
    expect(Object.keys(webhook).toSorted()).toEqual(['created_at', 'enabled', 'events', 'id', 'url']);
    const rotated = await ask(admin, 'POST', `/v1/keys/${free.id}/rotate`, {});
    expect(rotated.body.made_by).toEqual({ user_id: admin.userId, key_id: null });
  });

  test.each(actions)('has to be decided about at the %s', async (_, act) => {
    const refused = await act('');
    expect([refused.status, refused.body.code]).toEqual([409, 'revoke_made_needed']);
    expect(refused.body.made).toEqual(made());
    expect((await memberRows(ctx).findOne({ _id: leaving.accountId }))?.role).toBe('admin');
    expect(await present([leaving])).toHaveLength(1);
    expect(await works(free.key)).toBe(200);
  });

  test.each(actions)('ends with the %s where that is asked for', async (_, act) => {
    expect((await act('?revoke_made=true')).status).toBeLessThan(300);
    expect([await works(free.key), await works(foreign.key), await count()]).toEqual([401, 401, 0]);
    const { body } = await ask(admin, 'GET', '/v1/audit?limit=100');
    const named = body.data.map(({ action }: { action: string }) => action);
    expect(named).toEqual(expect.arrayContaining(['key.revoke', 'webhook.delete']));
    expect((await act('')).status).toBeLessThan(300);
  });

  test.each(actions)('goes on after the %s where that is asked for', async (_, act) => {
    expect((await act('?revoke_made=false')).status).toBeLessThan(300);
    expect([await works(free.key), await works(foreign.key), await count()]).toEqual([200, 200, 1]);
    const kept = { org_id: admin.orgId, 'details.kept': { $exists: true } };
    const entry = await auditRows(ctx).findOne(kept);
    expect(entry?.details.kept).toEqual({ keys: [free.id, foreign.id], webhooks: [webhook.id] });
  });

  test('asks nothing once it has ended', async () => {
    await ask(admin, 'DELETE', `/v1/keys/${free.id}`);
    await ask(admin, 'DELETE', `/v1/keys/${foreign.id}`);
    await webhookRows(ctx).deleteOne({ _id: webhook.id });
    expect((await remove(admin, leaving)).status).toBe(204);
  });
});
