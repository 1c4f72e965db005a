import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { makeSnapshots } from '../../shared/core/calls/usage/make-snapshots.ts';
import { snapshotRows } from '../../shared/core/calls/usage/model.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { fixture } from './fixture.ts';
import { makePerson } from './people.ts';
import { pick } from './random.ts';
import { type Facts, LAB, NO_WORK, readFacts, SHOP, TEAMS, USERS, type Work } from './usage-oracle.ts';
import { runDue } from './whole-tenant.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
export const NOW = Date.parse('2026-04-10T12:07:00Z');
export const RESOURCE = 'https://governor.example/mcp';
const iso = (ms: number) => new Date(ms).toISOString();

/** A pull request, and when it had which branch as its head. */
export interface Pull {
  repository: string;
  number: number;
  branch: string;
  state: 'open' | 'closed' | 'merged';
  opened: number;
  closed: number | null;
}

const pull = (
  repository: string,
  number: number,
  branch: string,
  days: [opened: number, closed?: number],
) => ({
  repository,
  number,
  branch,
  opened: NOW - days[0] * DAY,
  closed: days[1] === undefined ? null : NOW - days[1] * DAY,
});
export const PULLS: readonly Pull[] = [
  { ...pull(SHOP, 1, 'cart', [69.5, 50]), state: 'merged' },
  { ...pull(SHOP, 2, 'cart', [49]), state: 'open' },
  { ...pull(LAB, 1, 'main', [60, 20]), state: 'closed' },
  { ...pull(SHOP, 3, 'words', [66, 3]), state: 'merged' },
  { ...pull(LAB, 7, 'unused', [5, 4]), state: 'merged' },
];

export const labelOf = ({ repository, number }: Pull) => `${repository}#${number}`;

/** The pull request of a call: the one that was the first to be open on its branch and had not ended. */
function pullOf({ repository, branch }: Pick<Work, 'repository' | 'branch'>, at: number): string | null {
  const own = PULLS.filter((one) => one.repository === repository && one.branch === branch);
  const held = own
    .toSorted((a, b) => a.opened - b.opened)
    .find(({ closed }) => closed === null || closed > at);
  return held ? labelOf(held) : null;
}

/**
 * An organization of 70 days, with calls of all sums, works and times, pull requests that follow each other on a branch, a timezone
 * that changes, sessions that are open, ended and anomalous, and voided calls.
 */
export async function makeWorld(random: () => number) {
  const host = await fixture({
    clock: NOW - 70 * DAY,
    idp: true,
    env: { BASE_URL: 'https://governor.example' },
    tenant: { timezone: 'America/New_York', session_timeout: 3_600 },
  });
  const { ctx, clock, orgId, idp } = host;
  const works = new Map<string, Omit<Work, 'pull_request'>>();
  const grace = await makePerson(ctx, idp, { orgId, userId: 'grace', role: 'admin' });
  const ada = await makePerson(ctx, idp, { orgId, userId: 'ada' });
  for (const user of ['bob', 'cyd']) await host.member(user);
  const personOf = ({ sub }: { sub: string }) =>
    idp.mint(sub, { nowMs: clock.now(), claims: { aud: RESOURCE, scope: 'usage:read budgets:check' } });
  for (const [user, teams] of TEAMS)
    await host.ask(`/v1/members/${user}`, { teams }, { method: 'PATCH', key: grace.session });

  let made = 0;
  function call(at: number, of: object): Record<string, unknown> & { ts: number } {
    made += 1;
    const id = `call-${made}`;
    const repository = pick(random, [SHOP, SHOP, LAB, null]);
    const branch = repository && pick(random, ['cart', 'main', 'words', null]);
    const task = pick(random, ['T-1', 'T-2', null]);
    works.set(id, { repository, branch, task });
    const gate = { kind: 'tool', verdict: 'deny', action: 'block', source: 'config' };
    return {
      id,
      ts: at,
      ...of,
      model: pick(random, ['gpt-5', 'gpt-4o-mini', 'claude-sonnet-4-5', 'unheard-of']),
      tokens_in: Math.floor(random() * 40_000),
      tokens_out: Math.floor(random() * 9_000),
      cache_read_tokens: Math.floor(random() * 300),
      cache_write_tokens: Math.floor(random() * 200),
      ...(random() < 0.3 ? { cost_usd: Math.floor(random() * 3e9) / 1e9 } : {}),
      ...(random() < 0.15 ? { error: { code: 'x' } } : {}),
      ...(random() < 0.1 ? { type: 'intervention', intervention: gate } : {}),
      ...(repository ? { repository } : {}),
      ...(branch ? { branch } : {}),
      ...(task ? { task } : {}),
    };
  }
  /** The calls of a session that begins at a time, none of them later than now. */
  function calls(at: number) {
    const of = {
      user_id: pick(random, USERS),
      project_id: pick(random, ['alpha', 'beta']),
      adapter: pick(random, ['codex', 'claude-code']),
    };
    const times = Array.from(
      { length: 1 + Math.floor(random() * 5) },
      () => at + Math.floor(random() * 50 * MINUTE),
    );
    return times.filter((time) => time <= clock.now()).map((time) => call(time, of));
  }
  const between = (fromDays: number, toDays: number) => NOW - (toDays + random() * (fromDays - toDays)) * DAY;
  const record = (count: number, fromDays: number, toDays: number) =>
    host.record(...Array.from({ length: count }, () => calls(between(fromDays, toDays))).flat());

  /** Tells what became of pull requests, each at its time. */
  const reports = PULLS.flatMap((one) => [
    { at: one.opened, body: { ...toldOf(one), state: 'open', opened_at: iso(one.opened) } },
    ...(one.closed === null
      ? []
      : [
          {
            at: one.closed,
            body: {
              ...toldOf(one),
              state: one.state,
              opened_at: iso(one.opened),
              closed_at: iso(one.closed),
            },
          },
        ]),
  ]);
  const steps = [
    ...reports.map(({ at, body }) => ({ at, run: () => host.ask('/api/v1/pull-requests', body) })),
    { at: NOW - 36 * DAY, run: () => record(35, 69, 36) },
    { at: NOW - 30 * DAY, run: () => changeOrganization(ctx, orgId, { timezone: 'Asia/Kathmandu' }) },
  ];
  for (const { at, run } of steps.toSorted((a, b) => a.at - b.at)) {
    clock.set(at);
    await run();
  }
  clock.set(NOW);
  await record(55, 34.9, 0.01);
  await host.record(
    ...Array.from({ length: 8 }, () => calls(NOW - Math.floor(random() * 30 * MINUTE))).flat(),
  );
  await runDue(host, orgId);
  await voidSome(8);
  const rows = await sessionRows(ctx).find({ org_id: orgId, state: 'ended' }).sort({ _id: 1 }).toArray();
  const odd = rows.filter(() => random() < 0.15).map(({ _id }) => _id);
  await sessionRows(ctx).updateMany({ _id: { $in: odd } }, { $set: { anomaly_types: ['token_spike'] } });

  async function voidSome(count: number): Promise<void> {
    const { sessions } = await facts();
    const recent = sessions.filter(({ at }) => at > NOW - 34 * DAY);
    for (let left = count; left > 0; left -= 1) {
      const { id } = pick(random, recent);
      const { signals } = await host.ask(`/api/v1/sessions/${id}`);
      const ids = signals.map((signal: { id: string }) => signal.id);
      const signal_ids = random() < 0.3 ? ids : ids.slice(0, 1);
      if (ids.length > 0) await host.ask(`/api/v1/sessions/${id}/void`, { signal_ids, reason: 'wrong' });
    }
  }

  function facts(): Promise<Facts> {
    const workOf = (id: string, at: number): Work => {
      const work = works.get(id);
      return work ? { ...work, pull_request: pullOf(work, at) } : NO_WORK;
    };
    return readFacts(ctx, orgId, { workOf, teams: TEAMS });
  }

  /** Takes a table from each snapshot that is not stale: one of too many rows has none. */
  async function dropTables(): Promise<void> {
    const fresh = { org_id: orgId, works: { $type: 'string' } } as const;
    const rows = await snapshotRows(ctx).find(fresh).sort({ _id: 1 }).toArray();
    for (const [at, { _id }] of rows.entries()) {
      const table = (['totals', 'cells', 'works'] as const)[at % 3] ?? 'works';
      await snapshotRows(ctx).updateOne({ _id }, { $set: { [table]: null }, $inc: { version: 1 } });
    }
  }

  /** The ways in which the sums of closed days are kept, one after the other. */
  const states: Record<string, () => Promise<unknown>> = {
    rollups: async () => undefined,
    snapshots: async () =>
      makeSnapshots(ctx, await readOrganization(ctx, orgId), { fromMs: 0, toMs: clock.now() }),
    'stale snapshots': async () => {
      await record(12, 34.9, 0.01);
      await voidSome(3);
      await dropTables();
    },
  };
  const keys = {
    admin: host.key,
    unbound: await host.keyOf(null, ['usage:read']),
    bound: await host.keyOf('ada', ['usage:read']),
    'a person who is an admin': await personOf(grace),
    'a member': await personOf(ada),
  };
  return { host, keys, states, facts, organization: await readOrganization(ctx, orgId) };
}

const toldOf = ({ repository, number, branch }: Pull) => ({ repository, number, branch });
