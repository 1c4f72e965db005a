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
const { api, clock, tenant } = await fixture({ clock: NOW });

const at = (ms: number) => new Date(ms).toISOString();
const session = { metadata: { client_session_id: 's-1' } };

async function post(key: string, signals: object[]): Promise<void> {
  const { body } = await api.call('/api/v1/signals', { key, body: { signals } });
  expect(body).toMatchObject({ results: signals.map(() => ({ status: 'accepted' })) });
}

function tell(key: string, ...contexts: object[]) {
  return api.call('/api/v1/contexts', { key, body: { contexts } });
}

const told = (more: object) => ({
  client_session_id: 's-1',
  ts: at(NOW - 60 * MINUTE),
  repository: SHOP,
  ...more,
});

async function get(key: string, path: string) {
  const { status, body } = await api.call(`/api/v1/${path}`, { key });
  expect(status).toBe(200);
  return body;
}

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
    const { key } = await tenant();
    const { status, body } = await tell(key, { client_session_id: 's-1', ts: at(NOW), ...wrong }, told({}));
    expect(status).toBe(200);
    expect(body.results).toEqual([
      { status: 'rejected', code, detail: expect.stringContaining(detail) },
      { status: 'accepted' },
    ]);
  });

  it('takes 500 at most, and nothing beside them', async () => {
    const { key } = await tenant();
    expect(await tell(key, ...Array.from({ length: 501 }, () => ({})))).toMatchObject({ status: 413 });
    const body = { contexts: [], more: 1 };
    expect(await api.call('/api/v1/contexts', { key, body })).toMatchObject({ status: 400 });
  });

  it('of a bound key concern its own user alone', async () => {
    const all = await tenant();
    const bound = await makeTenant(api.ctx, { user_id: 'ada' });
    const foreign = await tell(bound.key, told({ user_id: 'bob' }));
    expect(foreign.body.results).toMatchObject([{ status: 'rejected', code: 'foreign_user' }]);
    await tell(bound.key, told({ branch: 'one' }));
    expect(await contextRows(api.ctx).findOne({ org_id: bound.orgId })).toMatchObject({ user_id: 'ada' });
    await tell(all.key, told({ branch: 'one', user_id: 'ada' }));
    await post(all.key, [
      makeSignal({ ts: NOW, ...session }),
      makeSignal({ ts: NOW, ...session, user_id: 'bob' }),
    ]);
    const usage = await get(all.key, 'usage?group_by=branch,user_id');
    expect(usage.groups.filter((group: { signals: number }) => group.signals > 0)).toMatchObject([
      { key: { branch: 'one', user_id: 'ada' } },
      { key: { branch: null, user_id: 'bob' } },
    ]);
  });
});

describe('what a call belongs to', () => {
  it('is in usage, files and lists, and shown with its session', async () => {
    const { key } = await tenant();
    await tell(key, told({ branch: 'one', task: 'T-1', commit: 'abcdef1', worktree: 'shop' }));
    await post(key, [
      makeSignal({ ts: NOW - 2 * MINUTE, ...session, cost_usd: 1 }),
      makeSignal({ ts: NOW - MINUTE, ...session, cost_usd: 2, task: 'T-2' }),
      makeSignal({ ts: NOW - MINUTE, cost_usd: 4 }),
    ]);
    const day = `from=${at(NOW - 86_400_000)}&to=${at(NOW + 86_400_000)}`;
    const filtered = await get(key, `usage?${day}&branch=one&repository=https://github.com/Acme/shop.git`);
    expect(filtered.totals).toMatchObject({ cost_usd: 3, signals: 2 });
    const file = await api.call(`/api/v1/usage/export?${day}&level=attributed`, { key });
    const [head, ...rows] = String(file.text).trim().split('\n');
    expect(head).toContain('adapter,repository,branch,pull_request,task,sessions');
    expect(rows.filter((row) => row.includes(`${SHOP},one,,T-1`))).toHaveLength(1);
    const listed = await get(key, 'sessions?task=T-2');
    expect(listed.data).toHaveLength(1);
    const shown = await get(key, `sessions/${listed.data[0].id}`);
    const place = { repository: SHOP, branch: 'one' };
    expect(shown.attribution).toMatchObject([
      { ...place, task: 'T-2', cost_usd: 2 },
      { ...place, task: 'T-1', cost_usd: 1 },
      { repository: null, branch: null, task: null, cost_usd: 4 },
    ]);
    expect(shown.contexts).toEqual([
      {
        client_session_id: 's-1',
        ts: at(NOW - 60 * MINUTE),
        ...place,
        task: 'T-1',
        commit: 'abcdef1',
        worktree: 'shop',
      },
    ]);
    const tasks = shown.signals.map(({ task }: { task: string | null }) => String(task));
    expect(tasks.toSorted()).toEqual(['T-1', 'T-2', 'null']);
  });

  it('by telemetry counts until a context says a place', async () => {
    const { orgId, key } = await tenant();
    const signal = makeSignal({ ts: NOW, ...session, repository: SHOP, branch: 'stale' });
    await recordSignals(api.ctx, senderOf(orgId), [signal], { isTelemetry: true });
    const branches = async () =>
      (await get(key, 'usage?group_by=branch')).groups
        .filter((group: { signals: number }) => group.signals > 0)
        .map((group: { key: { branch: string } }) => group.key.branch);
    expect(await branches()).toEqual(['stale']);
    await tell(key, told({ branch: 'fresh' }));
    expect(await branches()).toEqual(['fresh']);
    await tell(key, told({ ts: at(NOW - MINUTE), repository: null }));
    expect(await branches()).toEqual([null]);
  });

  it('of a signal without a client session writes nothing more, and asks nothing', async () => {
    const { orgId, key } = await tenant();
    await post(key, [makeSignal({ ts: NOW, id: 'plain' })]);
    const row = await signalRows(api.ctx).findOne({ org_id: orgId, id: 'plain' });
    expect(
      Object.keys(row ?? {}).filter((name) => ['client_session', 'work', 'own', 'parts'].includes(name)),
    ).toEqual([]);
    expect(
      await organizationVersionRows(api.ctx).findOne({ org_id: orgId, contexts: { $exists: true } }),
    ).toBe(null);
  });

  it('of an erased person keeps its sums', async () => {
    const { orgId, key, member } = await tenant();
    await member('ada');
    await member('boss', { role: 'admin' });
    await tell(key, told({ branch: 'one', user_id: 'ada' }));
    await post(key, [makeSignal({ ts: NOW, ...session })]);
    await eraseMember(api.ctx, orgId, 'ada');
    expect((await get(key, 'usage?branch=one')).totals.signals).toBe(1);
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
    for (const row of await snapshot(own.ctx)) expect(row.join(' ')).not.toContain(MARK);
    const usage = await call(`usage?group_by=branch`);
    const sessions = await call(`sessions?branch=${MARK}-new`);
    const { id } = sessions.body.data[0];
    const shown = await call(`sessions/${id}`);
    const pulls = await call('pull-requests');
    expect(pulls.body.data).toMatchObject([
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
