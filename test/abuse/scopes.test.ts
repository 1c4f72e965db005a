import { beforeAll, describe, expect, it } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import type { Scope } from '../../shared/platform/basics/contract.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { linkDevice, makePerson } from '../support/people.ts';

const { idp, api } = await fixture({ idp: true });
let orgId: string;
let all: { key: string; keyId: string };

beforeAll(async () => {
  const { orgId: made, key, keyId } = await makeTenant(api.ctx);
  orgId = made;
  all = { key, keyId };
});

const keyWith = async (...scopes: Scope[]) => (await createApiKey(api.ctx, { org_id: orgId, scopes })).key;
const BUDGET = {
  name: 'b',
  scope: 'user',
  scope_id: 'ada',
  metric: 'tokens',
  threshold: 100,
  window: 'monthly',
};
const USAGE = [
  'current',
  'remaining',
  'utilization_pct',
  'state',
  'refuses_now',
  'forecast',
  'unpriced_signals',
];

describe('a scope to write is no scope to read', () => {
  it('webhooks receive the events that they name, and their key reads nothing else', async () => {
    const hooks = await keyWith('webhooks:write');
    for (const path of ['usage', 'sessions', 'anomalies', 'budgets', 'usage/export?level=daily&format=csv'])
      expect((await api.call(`/api/v1/${path}`, { key: hooks })).body.code, path).toBe('missing_scope');
    const bound = await createApiKey(api.ctx, { org_id: orgId, user_id: 'ada', scopes: ['webhooks:write'] });
    const body = { url: 'https://example.com/x', events: ['session.ended'], secret: 's'.repeat(32) };
    const refused = await api.call('/api/v1/webhooks', { key: bound.key, body });
    expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
  });

  it('budgets tell usage only to keys that may read it', async () => {
    await api.call('/api/v1/signals', { key: all.key, body: makeSignal({ ts: Date.now() }) });
    const writer = await keyWith('budgets:write');
    const created = await api.call('/api/v1/budgets', { key: writer, body: BUDGET });
    expect(created.status, created.text).toBe(201);
    const path = `/api/v1/budgets/${created.body.id}`;
    const changed = await api.call(path, { method: 'PATCH', key: writer, body: { metric: 'signals' } });
    for (const { body } of [created, changed])
      for (const name of USAGE) expect(body).not.toHaveProperty(name);
    expect(changed.body).toMatchObject({ id: created.body.id, metric: 'signals', revision: 2 });
    const both = await keyWith('budgets:write', 'usage:read');
    const seen = await api.call(path, { method: 'PATCH', key: both, body: { metric: 'tokens' } });
    expect(seen.body).toMatchObject({ current: 110 });
  });

  it('a closed session tells its totals only to keys that may read them', async () => {
    const posted = await api.call('/api/v1/signals', {
      key: all.key,
      body: makeSignal({ ts: Date.now(), user_id: 'eve' }),
    });
    const path = `/api/v1/sessions/${posted.body.results?.[0]?.session_id}/close`;
    const writer = await keyWith('signals:write');
    const closed = await api.call(path, { method: 'POST', key: writer });
    expect(closed.body).toMatchObject({ state: 'ended', end_reason: 'closed', user_id: 'eve' });
    for (const name of ['tokens_in', 'tokens_out', 'cost_usd', 'models', 'signal_count', 'started_at'])
      expect(closed.body).not.toHaveProperty(name);
    expect((await api.call(path, { method: 'POST', key: all.key })).body).toMatchObject({ tokens_in: 100 });
  });
});

describe('a removed member', () => {
  it('takes the keys that are bound to it along, and no others', async () => {
    const person = await makePerson(api.ctx, idp);
    const bound = await createApiKey(api.ctx, {
      org_id: person.orgId,
      scopes: ['usage:read', 'signals:write'],
      user_id: person.userId,
    });
    const other = await createApiKey(api.ctx, { org_id: person.orgId, scopes: ['usage:read'] });
    expect((await api.call('/api/v1/usage', { key: bound.key })).status).toBe(200);
    await removeMember(api.ctx, person.orgId, person.userId);
    expect((await api.call('/api/v1/usage', { key: bound.key })).status).toBe(401);
    const signal = makeSignal({ ts: Date.now(), user_id: person.userId });
    expect((await api.call('/api/v1/signals', { key: bound.key, body: signal })).status).toBe(401);
    expect((await api.call('/api/v1/usage', { key: other.key })).status).toBe(200);
    const [entry] = await auditRows(api.ctx)
      .find({ org_id: person.orgId, action: 'member.remove' })
      .toArray();
    expect(entry?.details).toMatchObject({ revoked_keys: [bound.key_id] });
    await expect(
      changeMember(api.ctx, person.orgId, person.userId, { teams: ['red'] }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the audit log', () => {
  it('names the key or the person that acted', async () => {
    const person = await makePerson(api.ctx, idp, { orgId });
    await linkDevice(api, person);
    const body = { url: 'http://127.0.0.1:9/x', events: ['session.ended'], secret: 's'.repeat(32) };
    await api.call('/api/v1/webhooks', { key: all.key, body });
    const budget = { ...BUDGET, scope: 'org', scope_id: undefined };
    expect((await api.call('/api/v1/budgets', { key: all.key, body: budget })).status).toBe(201);
    const actorOf = async (action: string) =>
      (await auditRows(api.ctx).findOne({ org_id: orgId, action }, { sort: { at: -1 } }))?.actor;
    expect(await actorOf('device.approve')).toBe(person.accountId);
    expect(await actorOf('webhook.create')).toBe(all.keyId);
    expect(await actorOf('budget.create')).toBe(all.keyId);
  });
});
