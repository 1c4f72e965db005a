import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { makeSnapshots } from '../../shared/core/calls/usage/make-snapshots.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import {
  type Call,
  call,
  context,
  type Fact,
  naive,
  rename,
  request,
  type ToldContext,
} from '../support/attribution-oracle.ts';
import { makeTenant } from '../support/factories.ts';
import {
  createTestClock,
  openTestContext,
  startApi,
  type TestApi,
  type TestContext,
} from '../support/harness.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-24T12:00:00Z');
/** Times of the oracle are within 40 days of it; here the last 34 are used. */
const BEGIN = NOW - 34.5 * DAY;
const REPOSITORY = 'github.com/acme/shop';

/** Two processes on the same data. */
let apis: [TestApi, TestApi];
let shared: TestContext;
beforeAll(async () => {
  const clock = createTestClock(NOW);
  const first = await startApi({ clock });
  shared = await openTestContext({ clock, sharing: first.ctx });
  apis = [first, await startApi({ ctx: shared })];
});
afterAll(async () => {
  await apis[1].close();
  await shared.close();
  await apis[0].close();
});

const recent = <T extends { at: number }>(step: fc.Arbitrary<T>) => step.filter(({ at }) => at <= 34 * DAY);
const isTold = (told: string | null | undefined) => told !== 'detached';

/** A call is told a place by its session or by itself: telemetry has tests of its own. */
const calls = fc.array(
  recent(call).map((one): Call => ({ ...one, telemetry: undefined, ownPlace: one.ownPlace ?? undefined })),
  { minLength: 3, maxLength: 9 },
);
const requests = request.filter(({ opened, closed }) => Math.max(opened, closed ?? 0) <= 34 * DAY);
/** Contexts of one session and one time have an order of hashes, which the oracle does not know. */
const facts = fc.uniqueArray(
  fc.oneof(
    { weight: 4, arbitrary: recent(context) },
    { weight: 1, arbitrary: recent(rename) },
    { weight: 2, arbitrary: requests },
  ),
  { minLength: 1, maxLength: 7, selector: nameOf },
);

function nameOf(fact: Fact): string {
  if (fact.kind === 'request') return `request ${fact.number}`;
  return `${fact.kind === 'context' ? fact.session : fact.from} ${fact.at}`;
}

const story = fc.record({
  calls,
  facts,
  order: fc.array(fc.nat(), { minLength: 16, maxLength: 16 }),
  /** After how many steps snapshots are made. */
  snapshotsAfter: fc.nat(10),
});

interface Tenant {
  orgId: string;
  key: string;
}

/** The branch that a place names: the oracle's null is a place without one. */
const placeOf = (branch: string) => ({ repository: REPOSITORY, ...(isTold(branch) ? { branch } : {}) });
const timeOf = (at: number) => new Date(BEGIN + at).toISOString();

async function post(api: TestApi, { key }: Tenant, path: string, body: object): Promise<void> {
  const answer = await api.call(`/api/v1/${path}`, { key, body });
  expect(answer.body).toMatchObject({ results: [{ status: expect.stringMatching(/accepted|duplicate/) }] });
}

function postCall(api: TestApi, tenant: Tenant, one: Call, id: string): Promise<void> {
  const signal = {
    id,
    ts: timeOf(one.at),
    user_id: one.user,
    adapter: 'codex',
    model: 'gpt-5',
    tokens_in: 10,
    cost_usd: one.nusd / 1e9,
    metadata: { client_session_id: one.session },
    ...(one.ownPlace ? placeOf(one.ownPlace) : {}),
    ...(one.ownTask ? { task: one.ownTask } : {}),
  };
  return post(api, tenant, 'signals', { signals: [signal] });
}

function contextOf(fact: ToldContext): object {
  return {
    client_session_id: fact.session,
    ts: timeOf(fact.at),
    ...(fact.user ? { user_id: fact.user } : {}),
    ...(fact.place === undefined ? {} : fact.place === null ? { repository: null } : placeOf(fact.place)),
    ...(fact.task === undefined ? {} : { task: fact.task }),
  };
}

async function learn(api: TestApi, tenant: Tenant, fact: Fact): Promise<void> {
  if (fact.kind === 'context') await post(api, tenant, 'contexts', { contexts: [contextOf(fact)] });
  // A rename is told by a session of its own, so that it places no call.
  if (fact.kind === 'rename') {
    const told = { client_session_id: 'renaming', ts: timeOf(fact.at), renamed_from: fact.from };
    await post(api, tenant, 'contexts', { contexts: [{ ...told, ...placeOf(fact.to) }] });
  }
  if (fact.kind === 'request') await report(api, tenant, fact);
}

async function report(
  api: TestApi,
  { key }: Tenant,
  { number, head, opened, closed }: Extract<Fact, { kind: 'request' }>,
): Promise<void> {
  const body = {
    repository: REPOSITORY,
    number,
    branch: head,
    state: closed === null ? 'open' : 'closed',
    opened_at: timeOf(opened),
    ...(closed === null ? {} : { closed_at: timeOf(closed) }),
  };
  expect((await api.call('/api/v1/pull-requests', { key, body })).status).toBe(200);
}

async function groups(api: TestApi, { key }: Tenant, by: string): Promise<Map<string | null, number>> {
  const range = `from=${timeOf(0)}&to=${new Date(NOW + DAY).toISOString()}`;
  const { body } = await api.call(`/api/v1/usage?${range}&group_by=${by}`, { key });
  const answer = body as { totals: Sums; groups: (Sums & { key: Record<string, string | null> })[] };
  const sum = answer.groups.reduce((total, group) => total + group.tokens_in, 0);
  expect(sum).toBe(answer.totals.tokens_in);
  return new Map(
    answer.groups
      .filter(({ signals }) => signals > 0)
      .map(({ key: of, signals }) => [of[by] ?? null, signals]),
  );
}

interface Sums {
  signals: number;
  tokens_in: number;
}

/** The same by the rules: how many calls each branch, each task and each pull request has. */
function counted(calls: readonly Call[], facts: readonly Fact[], by: (typeof GROUPINGS)[number]) {
  const counts = new Map<string | null, number>();
  for (const one of calls) {
    const { place = null, task, pull } = naive(one, facts);
    const label = pull === null ? null : `${REPOSITORY}#${pull}`;
    const value = { branch: place, task, pull_request: label }[by];
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

const GROUPINGS = ['branch', 'task', 'pull_request'] as const;

async function checkSessions(api: TestApi, { key }: Tenant, told: { calls: Call[]; facts: Fact[] }) {
  const { body } = await api.call('/api/v1/sessions?limit=100', { key });
  const sessions = new Map<string, Set<string>>();
  for (const { id, signal_count } of (body as { data: { id: string; signal_count: number }[] }).data) {
    const session = (await api.call(`/api/v1/sessions/${id}`, { key })).body as Shown;
    expect(session.attribution.reduce((sum, { signals }) => sum + signals, 0)).toBe(signal_count);
    for (const shown of session.signals) {
      const belongs = naive(told.calls[Number(shown.id)] as Call, told.facts);
      expect([shown.branch, shown.task]).toEqual([belongs.place ?? null, belongs.task]);
      if (shown.branch !== null)
        sessions.set(shown.branch, (sessions.get(shown.branch) ?? new Set()).add(id));
    }
  }
  for (const branch of ['main', 'one', 'two', 'three']) {
    const listed = await api.call(`/api/v1/sessions?limit=100&branch=${branch}`, { key });
    const ids = (listed.body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(ids.toSorted()).toEqual([...(sessions.get(branch) ?? [])].toSorted());
  }
}

interface Shown {
  attribution: { signals: number }[];
  signals: { id: string; branch: string | null; task: string | null }[];
}

it('every answer gives each call to what the rules say, in whatever order calls, contexts, renames and pull requests come, by two processes', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ calls: made, facts: known, order, snapshotsAfter }) => {
      const tenant = await makeTenant(apis[0].ctx, { timezone: 'America/New_York' });
      const organization = await readOrganization(apis[0].ctx, tenant.orgId);
      const steps = [
        ...made.map((one, index) => ({ one, index, rank: order[index] ?? 0 })),
        ...known.map((fact, index) => ({ fact, rank: order[index + 8] ?? 0 })),
      ].toSorted((a, b) => a.rank - b.rank);
      const told: { calls: Call[]; facts: Fact[] } = { calls: [], facts: [] };
      for (const [turn, step] of steps.entries()) {
        const api = apis[turn % 2] as TestApi;
        if ('one' in step) {
          await postCall(api, tenant, step.one, String(step.index));
          told.calls.push(step.one);
        } else {
          await learn(api, tenant, step.fact);
          told.facts.push(step.fact);
        }
        if (turn === snapshotsAfter) await makeSnapshots(api.ctx, organization, { fromMs: BEGIN, toMs: NOW });
        for (const by of GROUPINGS)
          expect(await groups(apis[(turn + 1) % 2] as TestApi, tenant, by)).toEqual(
            counted(told.calls, told.facts, by),
          );
      }
      const byId = { calls: made, facts: told.facts };
      await checkSessions(apis[0], tenant, byId);
      expect(await reconcileUsage(apis[0].ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
    }),
    { numRuns: 12 },
  );
});
