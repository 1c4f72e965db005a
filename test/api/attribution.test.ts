import { describe, expect, it } from 'vitest';
import { organizationVersionRows } from '../../shared/core/accounts/organizations/versions.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { eraseMember } from '../../shared/people/erase-member.ts';
import { hashNames } from '../../shared/people/hash-names.ts';
import { contextRows } from '../../shared/wings/work/attribution/model.ts';
import { makeSignal, makeTenant, senderOf } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { openKeptLog, openTestContext, startApi, type TestApi } from '../support/harness.ts';
import { snapshot } from '../support/rows.ts';

const NOW = Date.parse('2026-11-24T12:07:00Z');
const MINUTE = 60_000;
const SHOP = 'github.com/acme/shop';
const f = await fixture({ clock: NOW, perTest: true });
const { api, clock } = f;

const at = (ms: number) => new Date(ms).toISOString();
const session = { metadata: { client_session_id: 's-1' } };

const post = (...signals: Record<string, unknown>[]) => f.spend(...signals);
const tell = (context: object, key = f.key) => f.send('/api/v1/contexts', { contexts: [context] }, { key });

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
    [{ repository: SHOP, ts: at(NOW - 36 * 86_400_000) }, 'ts_behind', '35 days'],
  ])('rejects %j and takes the others', async (wrong, code, detail) => {
    const contexts = [{ client_session_id: 's-1', ts: at(NOW), ...wrong }, told({})];
    expect((await f.ask('/api/v1/contexts', { contexts })).results).toEqual([
      { status: 'rejected', code, detail: expect.stringContaining(detail) },
      { status: 'accepted' },
    ]);
  });

  it('takes 500 at most, and nothing beside them', async () => {
    const contexts = Array.from({ length: 501 }, () => ({}));
    expect((await f.send('/api/v1/contexts', { contexts })).status).toBe(413);
    expect((await f.send('/api/v1/contexts', { contexts: [], more: 1 })).status).toBe(400);
  });

  it('of a bound key concern its own user alone', async () => {
    const bound = await f.keyOf('ada');
    const foreign = await tell(told({ user_id: 'bob' }), bound);
    expect(foreign.body.results).toMatchObject([{ status: 'rejected', code: 'foreign_user' }]);
    await tell(told({ branch: 'one' }), bound);
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
  it('is in usage, files and lists, and shown with its session', async () => {
    await tell(told({ branch: 'one', task: 'T-1', commit: 'abcdef1', worktree: 'shop' }));
    await post(
      { ts: NOW - 2 * MINUTE, ...session, cost_usd: 1 },
      { ts: NOW - MINUTE, ...session, cost_usd: 2, task: 'T-2' },
      { ts: NOW - MINUTE, cost_usd: 4 },
    );
    const day = `from=${at(NOW - 86_400_000)}&to=${at(NOW + 86_400_000)}`;
    const filtered = await get(`usage?${day}&branch=one&repository=https://github.com/Acme/shop.git`);
    expect(filtered.totals).toMatchObject({ cost_usd: 3, signals: 2 });
    const file = await f.send(`/api/v1/usage/export?${day}&level=attributed`);
    const [head, ...rows] = String(file.text).trim().split('\n');
    expect(head).toContain('adapter,repository,branch,pull_request,task,sessions');
    expect(rows.filter((row) => row.includes(`${SHOP},one,,T-1`))).toHaveLength(1);
    const listed = await get('sessions?task=T-2');
    expect(listed.data).toHaveLength(1);
    const shown = await get(`sessions/${listed.data[0].id}`);
    const place = { repository: SHOP, branch: 'one' };
    expect(shown.attribution).toMatchObject([
      { ...place, task: 'T-2', cost_usd: 2 },
      { ...place, task: 'T-1', cost_usd: 1 },
      { repository: null, branch: null, task: null, cost_usd: 4 },
    ]);
    const own = { client_session_id: 's-1', ts: at(NOW - 60 * MINUTE), commit: 'abcdef1', worktree: 'shop' };
    expect(shown.contexts).toEqual([{ ...own, ...place, task: 'T-1' }]);
    const tasks = shown.signals.map(({ task }: { task: string | null }) => String(task));
    expect(tasks.toSorted()).toEqual(['T-1', 'T-2', 'null']);
  });

  it('is a row of its session as long as a call of it counts, and its contexts stay', async () => {
    await tell(told({ branch: 'one' }));
    await post(
      { id: 'a', ...session, cost_usd: 1 },
      { id: 'b', ...session, cost_usd: 2, task: 'T' },
      { id: 'c', ...session, cost_usd: 4, task: 'T' },
      { id: 'd', cost_usd: 8 },
    );
    const [{ id }] = (await get('sessions')).data;
    const left = async (...signal_ids: string[]) => {
      if (signal_ids.length > 0) await f.ask(`/api/v1/sessions/${id}/void`, { signal_ids, reason: 'Wrong' });
      const { attribution, contexts } = await get(`sessions/${id}`);
      expect(contexts).toHaveLength(1);
      return attribution.map((row: Record<string, unknown>) => [
        row.branch,
        row.task,
        row.signals,
        row.cost_usd,
      ]);
    };
    const [task, place, none] = [
      ['one', 'T', 2, 6],
      ['one', null, 1, 1],
      [null, null, 1, 8],
    ];
    expect(await left()).toEqual([task, place, none]);
    expect(await left('c')).toEqual([['one', 'T', 1, 2], place, none]);
    expect(await left('b')).toEqual([place, none]);
    expect(await left('d')).toEqual([place]);
    expect(await left('a')).toEqual([]);
  });

  it('by telemetry counts until a context says a place', async () => {
    const signal = makeSignal({ ts: NOW, ...session, repository: SHOP, branch: 'stale' });
    await recordSignals(api.ctx, senderOf(f.orgId), [signal], { isTelemetry: true });
    const branches = async () =>
      (await get('usage?group_by=branch')).groups
        .filter((group: { signals: number }) => group.signals > 0)
        .map((group: { key: { branch: string } }) => group.key.branch);
    expect(await branches()).toEqual(['stale']);
    await tell(told({ branch: 'fresh' }));
    expect(await branches()).toEqual(['fresh']);
    await tell(told({ ts: at(NOW - MINUTE), repository: null }));
    expect(await branches()).toEqual([null]);
  });

  it('of a signal without a client session writes nothing more, and asks nothing', async () => {
    await post({ id: 'plain' });
    const row = await signalRows(api.ctx).findOne({ org_id: f.orgId, id: 'plain' });
    for (const name of ['client_session', 'work', 'own', 'parts']) expect(row).not.toHaveProperty(name);
    const versions = { org_id: f.orgId, contexts: { $exists: true } };
    expect(await organizationVersionRows(api.ctx).findOne(versions)).toBe(null);
  });

  it('of an erased person keeps its sums', async () => {
    await f.member('ada');
    await f.member('boss', { role: 'admin' });
    await tell(told({ branch: 'one', user_id: 'ada' }));
    await post(session);
    await eraseMember(api.ctx, f.orgId, 'ada');
    expect((await get('usage?branch=one')).totals.signals).toBe(1);
  });

  it('of an erased person is not kept when it comes late', async () => {
    await f.member('ada');
    await f.member('boss', { role: 'admin' });
    await eraseMember(api.ctx, f.orgId, 'ada');
    const { status, body } = await tell(told({ branch: 'one', worktree: 'tree', user_id: 'ada' }));
    expect([status, body]).toEqual([200, { results: [{ status: 'accepted' }], moved: 0, moving: false }]);
    expect(await contextRows(api.ctx).find({ org_id: f.orgId }).toArray()).toEqual([]);
  });
});

/** All that Redis holds as text: jobs, and what is counted of the day. */
async function textOfRedis({ redis: { meter } }: TestApi['ctx']): Promise<string> {
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => meter.getBuffer(key).then(String),
    hash: (key) => meter.hgetall(key),
    list: (key) => meter.lrange(key, 0, -1),
    set: (key) => meter.smembers(key),
    zset: (key) => meter.zrange(key, '0', '-1'),
    stream: (key) => meter.xrange(key, '-', '+'),
  };
  let text = '';
  for (const key of await meter.keys('*'))
    text += `${key} ${JSON.stringify(await read[await meter.type(key)]?.(key))}`;
  return text;
}

describe('names as hashes', () => {
  it('leave a plain name in no store file, log and answer, and find it all the same', async () => {
    const { log, written } = openKeptLog();
    const context = await openTestContext({ clock });
    const own = await startApi({ ctx: { ...context, log } });
    const { orgId, key } = await makeTenant(own.ctx);
    const MARK = 'MARKED-9c1f';
    const names = { branch: `${MARK}-branch`, task: `${MARK}-task`, worktree: `${MARK}-tree` };
    const call = (path: string, body?: object) =>
      own.call(`/api/v1/${path}`, { key, ...(body ? { body } : {}) });
    await call('contexts', { contexts: [told({ ...names, renamed_from: `${MARK}-old` })] });
    await call('signals', { signals: [makeSignal({ ts: NOW - 30 * MINUTE, ...session })] });
    const pull = {
      repository: SHOP,
      number: 7,
      branch: `${MARK}-own`,
      base_branch: `${MARK}-base`,
      state: 'open',
      opened_at: at(NOW - 60 * MINUTE),
    };
    await call('pull-requests', { ...pull, title: `${MARK}-title` });
    await changeOrganization(own.ctx, orgId, { hash_names: true });
    await call('pull-requests', { ...pull, number: 8, opened_at: at(NOW - MINUTE), title: `${MARK}-title` });
    await call('contexts', { contexts: [told({ ...names, ts: at(NOW - MINUTE), branch: `${MARK}-new` })] });
    await call('signals', {
      signals: [
        makeSignal({ ts: NOW, ...session }),
        makeSignal({ ts: NOW, repository: SHOP, branch: `${MARK}-own`, task: `${MARK}-own` }),
        makeSignal({ ts: NOW, tokens_in: 30_000_000, repository: SHOP, branch: `${MARK}-held` }),
      ],
    });
    await hashNames(own.ctx, orgId);
    // Nothing goes through later reports again: they are hidden at once.
    await call('pull-requests', { ...pull, number: 9, opened_at: at(NOW), title: `${MARK}-title` });
    await call('contexts', { contexts: [told({ ...names, ts: at(NOW), branch: `${MARK}-new` })] });
    for (const row of await snapshot(own.ctx)) expect(row.join(' ')).not.toContain(MARK);
    const usage = await call(`usage?group_by=branch`);
    const sessions = await call(`sessions?branch=${MARK}-new`);
    const { id } = sessions.body.data[0];
    const shown = await call(`sessions/${id}`);
    const pulls = await call('pull-requests');
    expect(pulls.body.data).toMatchObject([
      { number: 9, title: null },
      { number: 8, title: null },
      { number: 7, title: null, signals: 1 },
    ]);
    for (const { body } of [usage, sessions, shown, pulls]) expect(JSON.stringify(body)).not.toContain(MARK);
    const metrics = await own.ctx.metrics.registry.metrics();
    expect(metrics).toContain('governor_');
    expect(metrics).not.toContain(MARK);
    expect(await textOfRedis(own.ctx)).not.toContain(MARK);
    const hashes = (usage.body as { groups: { key: { branch: string | null } }[] }).groups.flatMap(
      ({ key: of }) => of.branch ?? [],
    );
    expect(hashes).toHaveLength(3);
    for (const hash of hashes) expect(hash).toMatch(/^h_[0-9A-Za-z]{22}$/);
    const counted = async (branch: string) => (await call(`usage?branch=${branch}`)).body.totals.signals;
    expect(await counted(hashes[0] ?? '')).toBe(1);
    expect(await counted(`${MARK}-own`)).toBe(1);
    expect(written()).not.toContain(MARK);
    await own.close();
    await context.close();
  });
});
