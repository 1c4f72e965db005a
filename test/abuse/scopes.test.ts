import { describe, expect, it } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import type { Scope } from '../../shared/platform/basics/contract.ts';
import { fixture, BUDGET as ORG_BUDGET } from '../support/fixture.ts';
import { linkDevice } from '../support/people.ts';

const { api, ctx, orgId, keyId, ask, send, spend, keyOf, person } = await fixture({ idp: true });
const keyWith = (...scopes: Scope[]) => keyOf(null, scopes);
const POST = { method: 'POST' };
const BUDGET = { ...ORG_BUDGET, scope: 'user', scope_id: 'ada', metric: 'tokens', threshold: 100 };
const WEBHOOK = { url: 'http://127.0.0.1:9/x', events: ['session.ended'], secret: 's'.repeat(32) };
/** The members of an answer to a key that writes and may not read usage: all others tell some of it. */
const SHOWN = {
  budget:
    'counted_from created_at enforce filter fiscal_start_month id metric muted_until name on_error owner per raised ' +
    'raised_until reservation_share_pct revision rolling_days scope scope_id starts_on threshold threshold_now timezone ' +
    'unpriced updated_at window window_end window_start',
  person: 'exempt raised raised_until threshold threshold_now user_id window_end window_start',
  session: 'adapter end_reason ended_at id project_id state user_id',
};
const membersOf = (answer: object) => Object.keys(answer).toSorted().join(' ');

describe('a scope to write is no scope to read', () => {
  it('webhooks receive the events that they name, and their key reads nothing else', async () => {
    const hooks = { key: await keyWith('webhooks:write') };
    for (const path of ['usage', 'sessions', 'anomalies', 'budgets', 'usage/export?level=daily&format=csv'])
      expect((await send(`/api/v1/${path}`, undefined, hooks)).body.code, path).toBe('missing_scope');
    const bound = await keyOf('ada', ['webhooks:write']);
    const refused = await send('/api/v1/webhooks', WEBHOOK, { key: bound });
    expect(refused.body).toMatchObject({ status: 403, code: 'missing_scope' });
  });

  it('budgets tell usage only to keys that may read it', async () => {
    await spend({});
    const writer = { key: await keyWith('budgets:write') };
    const created = await ask('/api/v1/budgets', BUDGET, writer);
    const path = `/api/v1/budgets/${created.id}`;
    const changed = await ask(path, { metric: 'signals' }, { method: 'PATCH', ...writer });
    for (const body of [created, changed]) expect(membersOf(body)).toBe(SHOWN.budget);
    expect(changed).toMatchObject({ id: created.id, metric: 'signals', revision: 2 });
    const key = await keyWith('budgets:write', 'usage:read');
    const seen = await ask(path, { metric: 'tokens' }, { method: 'PATCH', key });
    expect(seen).toMatchObject({ current: 110 });
  });

  it('exceptions of people tell usage only to keys that may read it', async () => {
    const template = await ask('/api/v1/budgets', { ...ORG_BUDGET, metric: 'tokens', per: 'user' });
    const set = (key: string) =>
      ask(`/api/v1/budgets/${template.id}/people/ada`, { threshold: 200 }, { method: 'PUT', key });
    const written = await set(await keyWith('budgets:write'));
    expect(written).toMatchObject({ user_id: 'ada', threshold: 200 });
    expect(membersOf(written)).toBe(SHOWN.person);
    expect(await set(await keyWith('budgets:write', 'usage:read'))).toMatchObject({ current: 110 });
  });

  it('a closed session tells its totals only to keys that may read them', async () => {
    await spend({ user_id: 'eve' });
    const [{ id }] = (await ask('/api/v1/sessions?user_id=eve')).data;
    const close = (more: object = {}) => ask(`/api/v1/sessions/${id}/close`, undefined, { ...POST, ...more });
    const closed = await close({ key: await keyWith('signals:write') });
    expect(closed).toMatchObject({ state: 'ended', end_reason: 'closed', user_id: 'eve' });
    expect(membersOf(closed)).toBe(SHOWN.session);
    expect(await close()).toMatchObject({ tokens_in: 100 });
  });
});

describe('a removed member', () => {
  it('takes the keys that are bound to it along, and no others', async () => {
    const leaving = await person();
    const make = (user_id?: string) =>
      createApiKey(ctx, { org_id: orgId, scopes: ['usage:read', 'signals:write'], user_id });
    const [bound, other] = [await make(leaving.userId), await make()];
    const statuses = async ({ key }: { key: string }) => [
      (await send('/api/v1/usage', undefined, { key })).status,
      (await send('/api/v1/signals', { signals: [] }, { key })).status,
    ];
    expect(await statuses(bound)).toEqual([200, 200]);
    await removeMember(ctx, orgId, leaving.userId);
    expect([await statuses(bound), await statuses(other)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
    const entry = await auditRows(ctx).findOne({ org_id: orgId, action: 'member.remove' });
    expect(entry?.details).toMatchObject({ revoked_keys: [bound.key_id] });
    const change = changeMember(ctx, orgId, leaving.userId, { teams: ['red'] });
    await expect(change).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the audit log', () => {
  it('names the key or the person that acted', async () => {
    const linking = await person();
    await linkDevice(api, linking);
    await ask('/api/v1/webhooks', WEBHOOK);
    await ask('/api/v1/budgets', ORG_BUDGET);
    const actorOf = async (action: string) =>
      (await auditRows(ctx).findOne({ org_id: orgId, action }, { sort: { at: -1 } }))?.actor;
    expect(await actorOf('device.approve')).toBe(linking.accountId);
    expect(await actorOf('webhook.create')).toBe(keyId);
    expect(await actorOf('budget.create')).toBe(keyId);
  });
});
