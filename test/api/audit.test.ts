import { beforeEach, describe, expect, it } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { COUNTED_ROWS } from '../../shared/platform/basics/paginate.ts';
import { fixture } from '../support/fixture.ts';
import { makePerson } from '../support/people.ts';

const NOON = Date.UTC(2026, 10, 24, 12);
const DAY = 86_400_000;
const f = await fixture({ clock: NOON, idp: true, admin: true, perTest: true });
const { idp, api } = f;
beforeEach(() => auditRows(api.ctx).deleteMany({ org_id: f.orgId }));

interface Entry {
  action: string;
  target: object | null;
}

const read = (query = '', key = f.admin) => f.send(`/v1/audit${query}`, undefined, { key });
const actionsOf = async (query: string) =>
  (await read(query)).body.data.map(({ action }: Entry) => action) as string[];
const write = (action: string, at: number, more: object = {}) =>
  auditRows(api.ctx).insertOne({
    _id: newId('aud'),
    at: new Date(at),
    actor: 'cli',
    action,
    org_id: f.orgId,
    details: {},
    ...more,
  });
const ask = (path: string, body: unknown) => f.ask(path, body, { key: f.admin });
const byAction = async () =>
  new Map<string, Entry>((await read()).body.data.map((entry: Entry) => [entry.action, entry]));

describe('the audit log', () => {
  it('is narrowed by the beginning of the action, by actor and by time', async () => {
    await write('webhook.create', NOON - 2 * DAY);
    await write('webhook.delete', NOON - DAY, { actor: 'key1' });
    await write('webhooks', NOON - DAY + 1);
    await write('member.add', NOON);
    expect(await actionsOf('')).toEqual(['member.add', 'webhooks', 'webhook.delete', 'webhook.create']);
    expect(await actionsOf('?action=webhook.')).toEqual(['webhook.delete', 'webhook.create']);
    expect(await actionsOf('?action=webhook')).toEqual(['webhooks', 'webhook.delete', 'webhook.create']);
    expect(await actionsOf('?action=nothing')).toEqual([]);
    expect(await actionsOf('?actor=key1')).toEqual(['webhook.delete']);
    await write('key.create', NOON - 3 * DAY, { actor: f.admin.accountId });
    for (const actor of [f.admin.accountId, f.admin.userId])
      expect(await actionsOf(`?actor=${actor}`), actor).toEqual(['key.create']);
    expect(await actionsOf('?from=2026-11-23&to=2026-11-24')).toEqual(['webhooks', 'webhook.delete']);
    expect(await actionsOf('?from=2026-11-24T12:00:00Z')).toEqual(['member.add']);
    const long = await f.member('x'.repeat(256));
    await write('key.revoke', NOON - 3 * DAY, { actor: long._id });
    expect(await actionsOf(`?actor=${long.user_id}`)).toEqual(['key.revoke']);
    for (const query of ['?from=yesterday', '?action=']) expect((await read(query)).status).toBe(400);
  });

  it('is counted to 10,000 entries, and no further', async () => {
    const entry = { actor: 'cli', org_id: f.orgId, details: {} };
    const entries = Array.from({ length: COUNTED_ROWS }, (_, index) => ({
      ...entry,
      _id: newId('aud'),
      at: new Date(NOON - index * 1_000),
      action: index % 100 === 0 ? 'member.add' : 'budget.update',
    }));
    await auditRows(api.ctx).insertMany(entries);
    const total = async (query: string) => (await read(query)).body.total as number | null;
    expect(await total('')).toBe(COUNTED_ROWS);
    expect(await total('?action=member.')).toBe(COUNTED_ROWS / 100);
    await write('member.remove', NOON - DAY);
    const { body } = await read('');
    expect([body.total, body.has_more]).toEqual([null, true]);
    expect((await read(`?cursor=${body.cursor}`)).body.total).toBe(null);
    // More than a page of a long log is not counted either: all of the log would be looked at.
    expect(await total('?action=member.')).toBe(null);
    expect(await total('?action=member.remove')).toBe(1);
    expect(await total('?from=2026-11-24T11:59:59Z')).toBe(2);
  });

  it('names who acted, what was changed and whose it is, as they are called now', async () => {
    const invited = await ask('/v1/members', { email: 'New@example.org', role: 'member' });
    const member = await memberRows(api.ctx).findOne({ user_id: invited.user_id });
    const { key, id: keyId } = await ask('/v1/keys', { name: 'ci', scopes: ['webhooks:write'] });
    const hook = { url: 'http://127.0.0.1:9/x', events: ['session.ended'], secret: 's'.repeat(32) };
    const webhook = await f.ask('/api/v1/webhooks', hook, { key });
    await changeMember(api.ctx, f.orgId, f.admin.userId, { name: 'Grace' });
    const raise = { raise_id: 'rse_1', budget_id: 'bud_1', user_id: invited.user_id };
    await write('device.link', NOON, { details: { account_id: member?._id, device_id: 'dev_1' } });
    await write('raise.deny', NOON, { details: raise });
    await write('price-rule.remove', NOON, { details: { price_rule_id: 'prl_1', name: 'GPUs' } });
    await write('usage.reconcile', NOON);
    const [actor, name] = [f.admin.accountId, 'new@example.org'];
    const user = { kind: 'user', id: invited.user_id, name };
    const entries = await byAction();
    for (const [action, entry] of Object.entries({
      'member.add': { actor, actor_name: 'Grace', target: user },
      'key.create': { target: { kind: 'key', id: keyId, name: 'ci' } },
      'webhook.create': {
        actor: keyId,
        actor_name: 'ci',
        target: { kind: 'webhook', id: webhook.id, name: hook.url },
      },
      'device.link': { person_name: name },
      'raise.deny': { person_name: name, target: { kind: 'budget', id: 'bud_1' } },
      'price-rule.remove': { target: { kind: 'price_rule', id: 'prl_1', name: 'GPUs' } },
      'usage.reconcile': { actor_name: null, person_name: null, target: null },
    }))
      expect(entries.get(action), action).toMatchObject(entry);
    await removeMember(api.ctx, f.orgId, invited.user_id);
    expect((await byAction()).get('member.add')?.target).toEqual({ ...user, name: null });
  });

  it('names nobody of another organization', async () => {
    const stranger = await makePerson(api.ctx, idp, { role: 'admin' });
    await write('member.change', NOON, {
      actor: stranger.accountId,
      details: { user_id: stranger.userId, account_id: stranger.accountId },
    });
    const [entry] = (await read()).body.data;
    expect([entry.actor_name, entry.target.name, entry.person_name]).toEqual([null, null, null]);
  });
});

describe('the export of the audit log', () => {
  const download = (query: string) => f.send(`/v1/audit/export${query}`, undefined, { key: f.admin });

  it('has every entry that matches, oldest first, as CSV and as NDJSON', async () => {
    for (let index = 0; index < 1_100; index += 1)
      await write(index % 2 ? 'key.revoke' : 'key.create', NOON - DAY + index, { details: { index } });
    const { headers, text } = await download('?format=ndjson&action=key.create');
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"');
    const indexes = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(JSON.parse(line).details).index);
    expect(indexes).toEqual(Array.from({ length: 550 }, (_, index) => 2 * index));
    const csv = await download('?from=2026-11-23&to=2026-11-24');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const rows = csv.text.trim().split('\r\n');
    expect(rows[0]).toBe('at,action,actor,actor_name,target_kind,target_id,target_name,details,id');
    expect(rows).toHaveLength(1_101);
    expect((await download('?from=2030-01-01')).text.trim()).toBe(rows[0]);
    expect((await download('?format=parquet')).status).toBe(400);
  });

  it('has no cell that a spreadsheet would run', async () => {
    await changeMember(api.ctx, f.orgId, f.admin.userId, { name: '=HYPERLINK("http://x")' });
    await write('member.change', NOON, { actor: f.admin.accountId, details: { user_id: '+1' } });
    const { text } = await download('?action=member.change&from=2026-11-24T12:00:00Z');
    expect(text).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(text).toContain(",'+1,");
    expect(text).not.toMatch(/(^|,)"?[=+]/m);
  });
});
