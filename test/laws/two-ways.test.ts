import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyRoute } from '../../api/basics/route.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { makeSnapshots } from '../../shared/core/calls/usage/make-snapshots.ts';
import { snapshotRows } from '../../shared/core/calls/usage/model.ts';
import { makeSignal } from '../support/factories.ts';
import { startApi, type TestApi } from '../support/harness.ts';
import {
  holderOf,
  lists,
  NO_FILTER,
  NO_OBJECT,
  nameOf,
  pathOf,
  queryOf,
  type Row,
  reads,
  SEES_LESS,
  valuesOf,
} from '../support/read-routes.ts';
import { type As, makeWhole, runDue, SHOP, type WholeTenant, wholeFixture } from '../support/whole-tenant.ts';

const host = await wholeFixture();
/** The same stores, for which two of anything are many. */
let lowered: TestApi;
let own: WholeTenant;
beforeAll(async () => {
  own = await makeWhole(host);
  const ts = host.clock.now();
  for (const [number, branch] of [
    [12, 'cart'],
    [13, 'words'],
  ] as const) {
    const opened_at = new Date(ts - 86_400_000).toISOString();
    const report = { repository: SHOP, number, branch, state: 'open', opened_at };
    await own.must('key', 'POST', '/api/v1/pull-requests', report);
    const call = { ts, user_id: 'ada', cost_usd: number, repository: SHOP, branch };
    // Each pull request has several works, with calls of others among them.
    const beside = { ...call, user_id: 'bob', task: 'T-1' };
    await own.must('key', 'POST', '/api/v1/signals', { signals: [call, beside].map(makeSignal) });
  }
  lowered = await startApi({ ctx: { ...host.ctx, few: 1 } });
});
afterAll(() => lowered.close());

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** An answer without the text of its cursor and the id of its request, which no two share. */
const withoutTexts = (text: string) => text.replaceAll(/"(cursor|request_id)":"[^"]*"/g, '');

async function expectSame(route: AnyRoute, query: Record<string, string> = {}) {
  const path = `${pathOf(route.path, own)}?${String(new URLSearchParams(query))}`;
  const expectSameFor = async (as: As) => {
    const few = await own.call(as, 'GET', path);
    const many = await own.callAt(lowered, as, 'GET', path);
    expect([many.status, withoutTexts(many.text)], `${path} of ${as}`).toEqual([
      few.status,
      withoutTexts(few.text),
    ]);
    return few;
  };
  const less = SEES_LESS[holderOf(route)];
  if (less) await expectSameFor(less);
  return expectSameFor(holderOf(route));
}

const asked = reads.filter(({ path, auth }) => !NO_OBJECT.has(path) && auth.kind !== 'operator');

test.each(asked.map((route) => [nameOf(route), route] as const))(
  '%s is answered the same where a few are many, to one who sees less too',
  async (_, route) => {
    const { body } = await expectSame(route, route.path.endsWith('/search') ? { q: 'ada' } : {});
    if (!lists.includes(route)) return;
    const rows = (body.data ?? body.transactions) as Row[];
    for (const { name, schema } of queryOf(route)) {
      const values = schema.enum ?? valuesOf(rows, name);
      if (!NO_FILTER.has(name) || name === 'sort' || name === 'order')
        for (const value of values) await expectSame(route, { [name]: value });
    }
  },
);

describe('works', () => {
  const shown = reads.filter(({ path }) =>
    ['/api/v1/sessions', '/api/v1/usage', '/api/v1/pull-requests'].includes(path),
  );
  const questions = [
    { repository: SHOP },
    { repository: SHOP, branch: 'cart' },
    { repository: SHOP, branch: 'words' },
  ];
  test.each(shown.map((route) => [route.path, route] as const))(
    'are counted the same by %s',
    async (_, route) => {
      const known = new Set(queryOf(route).map(({ name }) => name));
      for (const question of questions)
        if (Object.keys(question).every((name) => known.has(name))) {
          const { status } = await expectSame(route, question);
          expect(status).toBe(200);
        }
    },
  );
});

test('every question is answered the same from snapshots of days and months, and from rollups alone', async () => {
  const rows = snapshotRows(host.ctx);
  const organization = await readOrganization(host.ctx, own.orgId);
  await makeSnapshots(host.ctx, organization, { fromMs: 0, toMs: host.clock.now() });
  const answers = async () => {
    const found: [string, string][] = [];
    for (const route of asked) {
      const names = queryOf(route).map(({ name }) => name);
      const query = {
        ...(route.path.endsWith('/search') ? { q: 'ada' } : {}),
        ...(names.includes('group_by') ? { group_by: 'user_id,model' } : {}),
        ...(names.includes('timezone') ? { from: dateOf(host.clock.now() - 64 * 86_400_000) } : {}),
      };
      const path = `${pathOf(route.path, own)}?${String(new URLSearchParams(query))}`;
      found.push([nameOf(route), withoutTexts((await own.call(holderOf(route), 'GET', path)).text)]);
    }
    return Object.fromEntries(found);
  };
  const kept = await answers();
  expect((await rows.deleteMany({ org_id: own.orgId })).deletedCount).toBeGreaterThan(60);
  expect(await answers()).toEqual(kept);
});

test('calls that move in many steps are where those are that move in one', async () => {
  const nowMs = host.clock.now();
  const work = (user_id: string) => ({
    metadata: { client_session_id: `moved-${user_id}` },
    user_id,
    cost_usd: 1,
  });
  const moved = async (user_id: string, at: TestApi) => {
    // Several of one moment, and others.
    const signals = [60, 60, 60, 60, 60, 50, 40].map((minutes) =>
      makeSignal({ ts: nowMs - minutes * 60_000, ...work(user_id) }),
    );
    await own.must('key', 'POST', '/api/v1/signals', { signals });
    const context = { client_session_id: `moved-${user_id}`, user_id, repository: SHOP };
    const contexts = [90, 45].map((minutes) => ({
      ...context,
      branch: `since-${minutes}`,
      ts: new Date(nowMs - minutes * 60_000).toISOString(),
    }));
    const told = await own.callAt(at, 'key', 'POST', '/api/v1/contexts', { contexts });
    await runDue({ ...host, ctx: { ...host.ctx, ...at.ctx } }, own.orgId);
    const usage = await own.must('key', 'GET', `/api/v1/usage?group_by=branch&user_id=${user_id}`);
    const groups = usage.groups.map(({ key: _key, ...group }: Row) => group);
    return { moving: told.body.moving, groups, totals: usage.totals };
  };
  const [one, many] = [await moved('in-one', host.api), await moved('in-many', lowered)];
  expect([one.moving, many.moving]).toEqual([false, true]);
  expect(one.groups.length).toBeGreaterThan(1);
  expect([many.groups, many.totals]).toEqual([one.groups, one.totals]);
});
