import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { organizationVersionRows } from '../../shared/core/accounts/organizations/versions.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { boundaryRows, workRows } from '../../shared/wings/work/attribution/model.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;
const f = await fixture({ clock: NOW, perTest: true });
const { api } = f;

const at = (ms: number) => new Date(ms).toISOString();
const SHOP = { client_session_id: 's-1', repository: 'https://github.com/acme/shop.git' };

const tell = (contexts: object[], key = f.key) => f.ask('/api/v1/contexts', { contexts }, { key });

/** Posts a call of the client session `s-1`, and returns its id. */
async function call(ts: number, more: Record<string, unknown> = {}): Promise<string> {
  const id = randomUUID();
  await f.spend({ id, ts, metadata: { client_session_id: 's-1' }, cost_usd: 1, ...more });
  return id;
}

/** The work of a call, in words. */
async function workOf(id: string): Promise<string | null> {
  const signal = await signalRows(api.ctx).findOne({ org_id: f.orgId, id });
  if (!signal?.work) return null;
  const work = await workRows(api.ctx).findOne({ _id: signal.work });
  return [work?.repository, work?.branch?.text, work?.task?.text].filter(Boolean).join(' ');
}

describe('contexts of many client sessions', () => {
  it('are recorded in transactions of 25 sessions each, with a result for each in their order', async () => {
    const contexts = Array.from({ length: 120 }, (_, n) => {
      const ofSession = { client_session_id: `many-${n % 60}`, branch: `b-${n}` };
      return n === 70 ? {} : { ...SHOP, ...ofSession, ts: at(NOW - n * MINUTE) };
    });
    const told = await tell(contexts);
    const statuses = (body: { results: { status: string }[] }) => body.results.map(({ status }) => status);
    expect(statuses(told)).toEqual(contexts.map((_, n) => (n === 70 ? 'rejected' : 'accepted')));
    const versions = await organizationVersionRows(api.ctx)
      .find({ _id: { $gte: f.orgId, $lt: `${f.orgId}~` } })
      .toArray();
    expect(new Set(versions.map(({ contexts: changes }) => changes))).toEqual(new Set([3]));
    const again = await tell(contexts);
    expect(statuses(again)).toEqual(contexts.map((_, n) => (n === 70 ? 'rejected' : 'duplicate')));
  });
});

describe('a context', () => {
  it('that comes late moves the calls that it concerns, and rollups stay the sum of their signals', async () => {
    const first = await call(NOW - 3 * DAY);
    const second = await call(NOW - 2 * DAY, { user_id: 'bob' });
    const own = await call(NOW - 2 * DAY, { repository: 'github.com/acme/own', task: 'T-1' });
    const context = { ...SHOP, ts: at(NOW - 4 * DAY), branch: 'one', task: 'T-2' };
    const told = await tell([context]);
    expect(told).toMatchObject({ moved: 2, moving: false });
    expect(await workOf(first)).toBe('github.com/acme/shop one T-2');
    expect(await workOf(own)).toBe('github.com/acme/own T-1');
    const later = { ...SHOP, ts: at(NOW - 2.5 * DAY), user_id: 'bob', branch: 'two' };
    expect(await tell([later])).toMatchObject({ moved: 1 });
    expect(await workOf(second)).toBe('github.com/acme/shop two T-2');
    expect(await tell([later])).toEqual({ results: [{ status: 'duplicate' }], moved: 0, moving: false });
    const organization = await readOrganization(api.ctx, f.orgId);
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
  const boundaries = () => boundaryRows(api.ctx).countDocuments({ org_id: f.orgId });

  /** A call of a user on a branch, after the rename. */
  const onBranch = (branch: string, user_id: string) =>
    call(NOW - DAY, { user_id, repository: SHOP.repository, branch });

  it('by a bound key splits no branch on which others have calls, and its place counts all the same', async () => {
    await onBranch('main', 'bob');
    await onBranch('main', 'mallory');
    const told = await tell([renamed('main')], await f.keyOf('mallory', ['signals:write']));
    expect(told).toEqual({ results: [{ status: 'accepted' }], moved: 0, moving: false });
    expect(await boundaries()).toBe(0);
    const own = { user_id: 'mallory', metadata: { client_session_id: 'renaming' } };
    expect(await workOf(await call(NOW - DAY, own))).toBe('github.com/acme/shop new-name');
  });

  it('by a bound key splits a branch of its own user, that of an unbound one any', async () => {
    await onBranch('mine', 'ada');
    await onBranch('ours', 'ada');
    await onBranch('ours', 'bob');
    const own = await tell([renamed('mine')], await f.keyOf('ada', ['signals:write']));
    expect(own).toMatchObject({ moved: 1 });
    const any = await tell([renamed('ours', NOW - 3 * DAY)]);
    expect(any).toMatchObject({ moved: 2 });
    expect(await boundaries()).toBe(2);
  });

  it('splits a branch a thousand times at the most', async () => {
    const first = renamed('busy', NOW - 3 * DAY);
    await tell([first]);
    const row = await boundaryRows(api.ctx).findOne({ org_id: f.orgId });
    if (!row) throw new Error('there is no boundary');
    const copies = Array.from({ length: 998 }, (_, index) => ({ ...row, _id: `${row._id}-${index}` }));
    await boundaryRows(api.ctx).insertMany(copies);
    const contexts = [renamed('busy', NOW - DAY), renamed('busy', NOW - DAY + 1)];
    const told = await tell(contexts);
    expect(told.results).toEqual([{ status: 'accepted' }, { status: 'accepted' }]);
    expect(await boundaries()).toBe(1_000);
  });
});
