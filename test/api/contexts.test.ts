import { describe, expect, it } from 'vitest';
import { organizationVersionRows } from '../../shared/core/accounts/organizations/versions.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { eraseMember } from '../../shared/people/erase-member.ts';
import { hashNames } from '../../shared/people/hash-names.ts';
import { boundaryRows, contextRows } from '../../shared/wings/work/attribution/model.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { openKeptLog, startApi } from '../support/harness.ts';
import { snapshot } from '../support/rows.ts';
import { textsOfRedis } from '../support/whole-stores.ts';

const NOW = Date.parse('2026-11-24T12:07:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const SHOP = 'github.com/acme/shop';
const f = await fixture({ clock: NOW, perTest: true });
const { api } = f;

const at = (ms: number) => new Date(ms).toISOString();
const session = { metadata: { client_session_id: 's-1' } };

const post = (...signals: Record<string, unknown>[]) => f.spend(...signals);
const tell = (contexts: object[], key = f.key) => f.ask('/api/v1/contexts', { contexts }, { key });

const told = (more: object) => ({
  client_session_id: 's-1',
  ts: at(NOW - 60 * MINUTE),
  repository: SHOP,
  ...more,
});
const get = (path: string) => f.ask(`/api/v1/${path}`);

describe('POST /api/v1/contexts', () => {
  it.each([
    [{}, 'invalid_context', 'repository: is needed, or a task is'],
    [{ branch: 'one', task: 'T' }, 'invalid_context', 'branch: belongs beside a repository'],
    [{ repository: '/home/ada/shop' }, 'invalid_context', 'no path'],
    [{ repository: 'file:///srv/shop' }, 'invalid_context', 'no path'],
    [{ repository: 'C:\\shop' }, 'invalid_context', 'no path'],
    [{ repository: SHOP, worktree: '../shop' }, 'invalid_context', 'not a path'],
    [{ repository: SHOP, commit: 'ABCDEF1' }, 'invalid_context', 'hexadecimal'],
    [{ repository: SHOP, renamed_from: 'old' }, 'invalid_context', 'beside a branch'],
    [{ repository: SHOP, unknown: 1 }, 'invalid_context', 'is not known here'],
    [{ repository: SHOP, ts: at(NOW + 6 * MINUTE) }, 'ts_ahead', '5 minutes'],
    [{ repository: SHOP, ts: at(NOW - 36 * DAY) }, 'ts_behind', '35 days'],
  ])('rejects %j and takes the others', async (wrong, code, detail) => {
    const contexts = [{ client_session_id: 's-1', ts: at(NOW), ...wrong }, told({})];
    expect((await tell(contexts)).results).toEqual([
      { status: 'rejected', code, detail: expect.stringContaining(detail) },
      { status: 'accepted' },
    ]);
  });

  it('takes 500 at most, and nothing beside them', async () => {
    const contexts = Array.from({ length: 501 }, () => ({}));
    expect((await f.send('/api/v1/contexts', { contexts })).status).toBe(413);
    expect((await f.send('/api/v1/contexts', { contexts: [], more: 1 })).status).toBe(400);
  });

  it('of many client sessions are recorded in transactions of 25 each, with a result for each in their order', async () => {
    const contexts = Array.from({ length: 120 }, (_, n) => {
      const of = { client_session_id: `many-${n % 60}`, branch: `b-${n}`, ts: at(NOW - n * MINUTE) };
      return n === 70 ? {} : told(of);
    });
    const statuses = async () =>
      (await tell(contexts)).results.map(({ status }: { status: string }) => status);
    expect(await statuses()).toEqual(contexts.map((_, n) => (n === 70 ? 'rejected' : 'accepted')));
    const versions = await organizationVersionRows(api.ctx)
      .find({ _id: { $gte: f.orgId, $lt: `${f.orgId}~` } })
      .toArray();
    expect(new Set(versions.map(({ contexts: changes }) => changes))).toEqual(new Set([3]));
    expect(await statuses()).toEqual(contexts.map((_, n) => (n === 70 ? 'rejected' : 'duplicate')));
  });

  it('of a bound key concern its own user alone', async () => {
    const bound = await f.keyOf('ada');
    const foreign = await tell([told({ user_id: 'bob' })], bound);
    expect(foreign.results).toMatchObject([{ status: 'rejected', code: 'foreign_user' }]);
    await tell([told({ branch: 'one' })], bound);
    expect(await contextRows(api.ctx).findOne({ org_id: f.orgId })).toMatchObject({ user_id: 'ada' });
    await post(session, { ...session, user_id: 'bob' });
    const usage = await get('usage?group_by=branch,user_id');
    expect(usage.groups.filter((group: { signals: number }) => group.signals > 0)).toMatchObject([
      { key: { branch: 'one', user_id: 'ada' } },
      { key: { branch: null, user_id: 'bob' } },
    ]);
  });
});

describe('what a call belongs to', () => {
  it('is shown with its session, the most expensive first, beside what its client session was told', async () => {
    await tell([told({ branch: 'one', task: 'T-1', commit: 'abcdef1', worktree: 'shop' })]);
    await post(
      { ts: NOW - 2 * MINUTE, ...session, cost_usd: 1 },
      { ts: NOW - MINUTE, ...session, cost_usd: 2, task: 'T-2' },
      { ts: NOW - MINUTE, cost_usd: 4 },
    );
    const { data } = await get('sessions?repository=https://github.com/Acme/shop.git');
    const shown = await get(`sessions/${data[0].id}`);
    const place = { repository: SHOP, branch: 'one' };
    expect(shown.attribution).toMatchObject([
      { ...place, task: 'T-2', cost_usd: 2 },
      { ...place, task: 'T-1', cost_usd: 1 },
      { repository: null, branch: null, task: null, cost_usd: 4 },
    ]);
    const own = { client_session_id: 's-1', ts: at(NOW - 60 * MINUTE), commit: 'abcdef1', worktree: 'shop' };
    expect(shown.contexts).toEqual([{ ...own, ...place, task: 'T-1' }]);
  });

  it('of a signal without a client session writes nothing more, and asks nothing', async () => {
    await post({ id: 'plain' });
    const row = await signalRows(api.ctx).findOne({ org_id: f.orgId, id: 'plain' });
    for (const name of ['client_session', 'work', 'own', 'parts']) expect(row).not.toHaveProperty(name);
    const versions = { org_id: f.orgId, contexts: { $exists: true } };
    expect(await organizationVersionRows(api.ctx).findOne(versions)).toBe(null);
  });

  it('of an erased person keeps its sums, and is not kept when it comes late', async () => {
    await f.member('ada');
    await f.member('boss', { role: 'admin' });
    const contexts = () => contextRows(api.ctx).find({ org_id: f.orgId }).toArray();
    await tell([told({ branch: 'one', user_id: 'ada' })]);
    await post(session);
    await eraseMember(api.ctx, f.orgId, 'ada');
    expect((await get('usage?branch=one')).totals.signals).toBe(1);
    const kept = await contexts();
    const late = await tell([told({ branch: 'two', worktree: 'tree', user_id: 'ada' })]);
    expect(late).toEqual({ results: [{ status: 'accepted' }], moved: 0, moving: false });
    expect(await contexts()).toEqual(kept);
  });
});

describe('a rename', () => {
  const renamed = (from: string, ts = NOW - 2 * DAY) =>
    told({ client_session_id: 'renaming', ts: at(ts), branch: 'new-name', renamed_from: from });
  const boundaries = () => boundaryRows(api.ctx).countDocuments({ org_id: f.orgId });
  /** Calls on a branch, after the rename. */
  const onBranch = (branch: string, ...users: string[]) =>
    post(...users.map((user_id) => ({ ts: NOW - DAY, user_id, repository: SHOP, branch })));

  it('by a bound key splits no branch on which others have calls, and its place counts all the same', async () => {
    await onBranch('main', 'bob', 'mallory');
    const change = await tell([renamed('main')], await f.keyOf('mallory', ['signals:write']));
    expect(change).toEqual({ results: [{ status: 'accepted' }], moved: 0, moving: false });
    expect(await boundaries()).toBe(0);
    await post({ ts: NOW - DAY, user_id: 'mallory', metadata: { client_session_id: 'renaming' } });
    expect((await get('usage?branch=new-name')).totals.signals).toBe(1);
  });

  it('by a bound key splits a branch of its own user, that of an unbound one any', async () => {
    await onBranch('mine', 'ada');
    await onBranch('ours', 'ada', 'bob');
    const own = await tell([renamed('mine')], await f.keyOf('ada', ['signals:write']));
    const any = await tell([renamed('ours', NOW - 3 * DAY)]);
    expect([own.moved, any.moved, await boundaries()]).toEqual([1, 2, 2]);
  });

  it('splits a branch a thousand times at the most', async () => {
    await tell([renamed('busy', NOW - 3 * DAY)]);
    const row = await boundaryRows(api.ctx).findOne({ org_id: f.orgId });
    if (!row) throw new Error('there is no boundary');
    const copies = Array.from({ length: 998 }, (_, index) => ({ ...row, _id: `${row._id}-${index}` }));
    await boundaryRows(api.ctx).insertMany(copies);
    const { results } = await tell([renamed('busy', NOW - DAY), renamed('busy', NOW - DAY + 1)]);
    expect(results).toEqual([{ status: 'accepted' }, { status: 'accepted' }]);
    expect(await boundaries()).toBe(1_000);
  });
});

describe('names as hashes', () => {
  it('leave a plain name in no store, log and answer, and find it all the same', async () => {
    const { log, written } = openKeptLog();
    const own = await startApi({ ctx: { ...api.ctx, log } });
    const MARK = 'MARKED-9c1f';
    const call = (path: string, body?: object) => f.send(`/api/v1/${path}`, body, { at: own });
    const names = { branch: `${MARK}-branch`, task: `${MARK}-task`, worktree: `${MARK}-tree` };
    const context = (more: object) => call('contexts', { contexts: [told({ ...names, ...more })] });
    const pull = (number: number, openedMs: number) =>
      call('pull-requests', {
        repository: SHOP,
        number,
        branch: `${MARK}-own`,
        base_branch: `${MARK}-base`,
        title: `${MARK}-title`,
        state: 'open',
        opened_at: at(openedMs),
      });
    const post = (...signals: Parameters<typeof makeSignal>[0][]) =>
      call('signals', { signals: signals.map(makeSignal) });
    await context({ renamed_from: `${MARK}-old` });
    await post({ ts: NOW - 30 * MINUTE, ...session });
    await pull(7, NOW - 60 * MINUTE);
    await changeOrganization(api.ctx, f.orgId, { hash_names: true });
    await pull(8, NOW - MINUTE);
    await context({ ts: at(NOW - MINUTE), branch: `${MARK}-new` });
    await post(
      { ts: NOW, ...session },
      { ts: NOW, repository: SHOP, branch: `${MARK}-own`, task: `${MARK}-own` },
      { ts: NOW, tokens_in: 30_000_000, repository: SHOP, branch: `${MARK}-held` },
    );
    await hashNames(own.ctx, f.orgId);
    // Nothing goes through later reports again: they are hidden at once.
    await pull(9, NOW);
    await context({ ts: at(NOW), branch: `${MARK}-new` });
    const usage = await call(`usage?group_by=branch`);
    const sessions = await call(`sessions?branch=${MARK}-new`);
    const shown = await call(`sessions/${sessions.body.data[0].id}`);
    const pulls = await call('pull-requests');
    expect(pulls.body.data).toMatchObject([
      { number: 9, title: null },
      { number: 8, title: null },
      { number: 7, title: null, signals: 1 },
    ]);
    const metrics = await own.ctx.metrics.registry.metrics();
    expect(metrics).toContain('governor_');
    const answers = [usage, sessions, shown, pulls].map(({ text }) => text);
    const stored = [...(await snapshot(own.ctx))].map((row) => row.join(' '));
    for (const text of [
      ...answers,
      ...stored,
      metrics,
      ...(await textsOfRedis(own.ctx.redis.meter)),
      written(),
    ])
      expect(text).not.toContain(MARK);
    const hashes: string[] = usage.body.groups.flatMap(
      ({ key: of }: { key: { branch: string | null } }) => of.branch ?? [],
    );
    expect(hashes).toEqual(Array(3).fill(expect.stringMatching(/^h_[0-9A-Za-z]{22}$/)));
    for (const branch of [hashes[0], `${MARK}-own`])
      expect((await call(`usage?branch=${branch}`)).body.totals.signals).toBe(1);
    await own.close();
  });
});
