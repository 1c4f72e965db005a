import { describe, expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { organizationVersionRows } from '../../shared/core/accounts/organizations/versions.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { boundaryRows, workRows } from '../../shared/wings/work/attribution/model.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;
const { api, tenant } = await fixture({ clock: NOW });

const at = (ms: number) => new Date(ms).toISOString();
const SHOP = { client_session_id: 's-1', repository: 'https://github.com/acme/shop.git' };

function post(key: string, path: string, body: object) {
  return api.call(`/api/v1/${path}`, { key, body });
}

/** Posts a call of the client session `s-1`, and returns its id. */
async function call(key: string, ts: number, more: Record<string, unknown> = {}): Promise<string> {
  const signal = makeSignal({ ts, metadata: { client_session_id: 's-1' }, cost_usd: 1, ...more });
  const answer = await post(key, 'signals', { signals: [signal] });
  expect(answer.body).toMatchObject({ results: [{ status: 'accepted' }] });
  return String(signal.id);
}

/** The work of a call, in words. */
async function workOf(orgId: string, id: string): Promise<string | null> {
  const signal = await signalRows(api.ctx).findOne({ org_id: orgId, id });
  if (!signal?.work) return null;
  const work = await workRows(api.ctx).findOne({ _id: signal.work });
  return [work?.repository, work?.branch?.text, work?.task?.text].filter(Boolean).join(' ');
}

describe('contexts of many client sessions', () => {
  it('are recorded in transactions of 25 sessions each, with a result for each in their order', async () => {
    const { orgId, key } = await tenant();
    const contexts = Array.from({ length: 120 }, (_, n) => {
      const ofSession = { client_session_id: `many-${n % 60}`, branch: `b-${n}` };
      return n === 70 ? {} : { ...SHOP, ...ofSession, ts: at(NOW - n * MINUTE) };
    });
    const told = await post(key, 'contexts', { contexts });
    const statuses = (body: { results: { status: string }[] }) => body.results.map(({ status }) => status);
    expect(statuses(told.body)).toEqual(contexts.map((_, n) => (n === 70 ? 'rejected' : 'accepted')));
    const versions = await organizationVersionRows(api.ctx)
      .find({ _id: { $gte: orgId, $lt: `${orgId}~` } })
      .toArray();
    expect(new Set(versions.map(({ contexts: changes }) => changes))).toEqual(new Set([3]));
    const again = await post(key, 'contexts', { contexts });
    expect(statuses(again.body)).toEqual(contexts.map((_, n) => (n === 70 ? 'rejected' : 'duplicate')));
  });
});

describe('a context', () => {
  it('that comes late moves the calls that it concerns, and rollups stay the sum of their signals', async () => {
    const { orgId, key } = await tenant();
    const first = await call(key, NOW - 3 * DAY);
    const second = await call(key, NOW - 2 * DAY, { user_id: 'bob' });
    const own = await call(key, NOW - 2 * DAY, { repository: 'github.com/acme/own', task: 'T-1' });
    const context = { ...SHOP, ts: at(NOW - 4 * DAY), branch: 'one', task: 'T-2' };
    const told = await post(key, 'contexts', { contexts: [context] });
    expect(told.body).toMatchObject({ moved: 2, moving: false });
    expect(await workOf(orgId, first)).toBe('github.com/acme/shop one T-2');
    expect(await workOf(orgId, own)).toBe('github.com/acme/own T-1');
    const later = { ...SHOP, ts: at(NOW - 2.5 * DAY), user_id: 'bob', branch: 'two' };
    expect((await post(key, 'contexts', { contexts: [later] })).body).toMatchObject({ moved: 1 });
    expect(await workOf(orgId, second)).toBe('github.com/acme/shop two T-2');
    expect((await post(key, 'contexts', { contexts: [later] })).body).toEqual({
      results: [{ status: 'duplicate' }],
      moved: 0,
      moving: false,
    });
    const organization = await readOrganization(api.ctx, orgId);
    expect(await reconcileUsage(api.ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
  });
});

describe('a rename', () => {
  const renamed = (from: string, ts = NOW - 2 * DAY) => ({
    ...SHOP,
    client_session_id: 'renaming',
    ts: at(ts),
    branch: 'new-name',
    renamed_from: from,
  });
  const boundaries = (orgId: string) => boundaryRows(api.ctx).countDocuments({ org_id: orgId });

  /** A call of a user on a branch, after the rename. */
  const onBranch = (key: string, branch: string, user_id: string) =>
    call(key, NOW - DAY, { user_id, repository: SHOP.repository, branch });

  it('by a bound key splits no branch on which others have calls, and its place counts all the same', async () => {
    const { orgId, key, keyOf } = await tenant();
    await onBranch(key, 'main', 'bob');
    await onBranch(key, 'main', 'mallory');
    const told = await post(await keyOf('mallory', ['signals:write']), 'contexts', {
      contexts: [renamed('main')],
    });
    expect(told.body).toEqual({ results: [{ status: 'accepted' }], moved: 0, moving: false });
    expect(await boundaries(orgId)).toBe(0);
    const own = { user_id: 'mallory', metadata: { client_session_id: 'renaming' } };
    expect(await workOf(orgId, await call(key, NOW - DAY, own))).toBe('github.com/acme/shop new-name');
  });

  it('by a bound key splits a branch of its own user, that of an unbound one any', async () => {
    const { orgId, key, keyOf } = await tenant();
    await onBranch(key, 'mine', 'ada');
    await onBranch(key, 'ours', 'ada');
    await onBranch(key, 'ours', 'bob');
    const own = await post(await keyOf('ada', ['signals:write']), 'contexts', {
      contexts: [renamed('mine')],
    });
    expect(own.body).toMatchObject({ moved: 1 });
    const any = await post(key, 'contexts', { contexts: [renamed('ours', NOW - 3 * DAY)] });
    expect(any.body).toMatchObject({ moved: 2 });
    expect(await boundaries(orgId)).toBe(2);
  });

  it('splits a branch a thousand times at the most', async () => {
    const { orgId, key } = await tenant();
    const first = renamed('busy', NOW - 3 * DAY);
    await post(key, 'contexts', { contexts: [first] });
    const row = await boundaryRows(api.ctx).findOne({ org_id: orgId });
    if (!row) throw new Error('there is no boundary');
    const copies = Array.from({ length: 998 }, (_, index) => ({ ...row, _id: `${row._id}-${index}` }));
    await boundaryRows(api.ctx).insertMany(copies);
    const contexts = [renamed('busy', NOW - DAY), renamed('busy', NOW - DAY + 1)];
    const told = await post(key, 'contexts', { contexts });
    expect(told.body.results).toEqual([{ status: 'accepted' }, { status: 'accepted' }]);
    expect(await boundaries(orgId)).toBe(1_000);
  });
});
