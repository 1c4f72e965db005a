import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { voidSignals } from '../../shared/core/calls/ingest/void-signals.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { changeBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { personWindowRows } from '../../shared/core/limits/budgets/rules/counted.ts';
import type { BudgetInput } from '../../shared/core/limits/budgets/rules/input.ts';
import { counterKey } from '../../shared/core/limits/budgets/rules/keys.ts';
import type { Budget } from '../../shared/core/limits/budgets/rules/model.ts';
import { windowAt } from '../../shared/core/limits/budgets/rules/windows.ts';
import {
  type BudgetStatus,
  openBudgetsOf,
} from '../../shared/core/limits/enforcement/state/budget-status.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { refreshStatuses } from '../../shared/core/limits/enforcement/state/refresh-status.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { moveToOtherShard } from '../../shared/platform/mongo/counter-shards.ts';
import { amountOf, countOf, meetsFilter } from '../support/budget-oracle.ts';
import { storesFixture, type Tenant } from '../support/fixture.ts';
import { anyCall } from '../support/random-calls.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 9, 26, 10, 20);
const { ctx, clock, tenant } = await storesFixture({ clock: NOW });

const PEOPLE = ['ada', 'bob', 'cyd', 'eve'];
const person = fc.constantFrom(...PEOPLE);

const signal = fc.record({ user_id: person, call: anyCall, agoMs: fc.nat(47 * HOUR) });

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('record'), signals: fc.array(signal, { maxLength: 6 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('void'), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('teams'), person, isRed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('template'), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('change'),
      pick: fc.nat(),
      threshold: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass'), hours: fc.integer({ min: 1, max: 5 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The templates that a story may make, with the calls that each counts in plain words. */
const TEMPLATES: Partial<BudgetInput>[] = [
  { scope: 'org', metric: 'cost_usd', window: 'daily', timezone: 'Asia/Kathmandu' },
  { scope: 'org', metric: 'tokens', window: 'hourly', timezone: 'UTC' },
  { scope: 'team', scope_id: 'red', metric: 'cost_usd', window: 'weekly', timezone: 'America/New_York' },
  { scope: 'team', scope_id: 'red', metric: 'signals', window: 'daily', timezone: 'UTC' },
  { scope: 'org', metric: 'tokens_in', window: 'monthly', timezone: 'UTC', filter: { models: ['gpt-*'] } },
];

interface Story extends Tenant {
  templates: Budget[];
}

async function begin(): Promise<Story> {
  const story: Story = { ...(await tenant()), templates: [] };
  for (const user of PEOPLE.slice(0, 3)) await story.member(user, { teams: ['red'] });
  for (const pick of [0, 2]) await makeTemplate(story, pick);
  return story;
}

async function makeTemplate({ templates, budget }: Story, pick: number): Promise<void> {
  const template = TEMPLATES[pick % TEMPLATES.length];
  templates.push(await budget({ per: 'user', threshold: 5, enforce: 'hard', ...template }));
}

async function play(story: Story, taken: Step): Promise<void> {
  const { orgId, templates } = story;
  // Two processes are mostly on different ones.
  moveToOtherShard();
  if (taken.kind === 'record')
    return story.record(
      ...taken.signals.map(({ call, agoMs, user_id }) => ({ ...call, user_id, ts: clock.now() - agoMs })),
    );
  if (taken.kind === 'template') return makeTemplate(story, taken.pick);
  if (taken.kind === 'pass') return clock.advance(taken.hours * HOUR);
  if (taken.kind === 'void') return voidOne(story, taken.pick);
  if (taken.kind === 'teams') {
    const member = await memberRows(ctx).findOne({ org_id: orgId, user_id: taken.person });
    if (member) await changeMember(ctx, orgId, taken.person, { teams: taken.isRed ? ['red'] : [] });
    return;
  }
  const at = taken.pick % templates.length;
  templates[at] = await changeBudget(ctx, orgId, templates[at]?._id ?? '', { threshold: taken.threshold });
}

async function voidOne({ orgId }: Story, pick: number): Promise<void> {
  const signals = await signalRows(ctx)
    .find({ org_id: orgId, voided: { $exists: false } })
    .toArray();
  const picked = signals.toSorted((a, b) => (a._id < b._id ? -1 : 1))[pick % Math.max(1, signals.length)];
  const reason = 'mistake';
  if (picked) await voidSignals(ctx, orgId, { sessionId: picked.session_id, signalIds: [picked.id], reason });
}

/** The amount that each person used of a template, by a plain scan: "start user" -> amount. */
async function naive(budget: Budget): Promise<Map<string, number>> {
  const signals = await signalRows(ctx)
    .find({ org_id: budget.org_id, voided: { $exists: false } })
    .toArray();
  const members = await memberRows(ctx).find({ org_id: budget.org_id }).toArray();
  const inTeam = new Set(members.filter(({ teams }) => teams.includes('red')).map(({ user_id }) => user_id));
  const sums = new Map<string, number>();
  for (const signal of signals) {
    if (budget.scope === 'team' && !inTeam.has(signal.user_id)) continue;
    if (!meetsFilter(budget, signal)) continue;
    const { startMs } = windowAt(budget, signal.ts.getTime());
    const name = `${startMs} ${signal.user_id}`;
    sums.set(name, (sums.get(name) ?? 0) + amountOf(budget, signal));
  }
  return sums;
}

/** The same by the rows of windows that may still fire. */
async function counted(budget: Budget): Promise<Map<string, number>> {
  const rows = await personWindowRows(ctx)
    .find({ org_id: budget.org_id, counter: counterKey(budget) })
    .toArray();
  const sums = new Map<string, number>();
  for (const row of rows) {
    const name = `${row.window_start.getTime()} ${row.person}`;
    sums.set(name, (sums.get(name) ?? 0) + countOf(budget, row));
  }
  return sums;
}

function shown(sums: ReadonlyMap<string, number>, budget: Budget): object {
  const since = windowAt(budget, clock.now() - 47 * HOUR);
  return Object.fromEntries(
    [...sums]
      .filter(([name, amount]) => Number(name.split(' ')[0]) >= since.startMs && amount !== 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

it('counts each person apart, whatever comes late, is voided, changes or joins: rows and decisions equal a plain scan', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      clock.set(NOW);
      const story = await begin();
      for (const taken of steps) {
        await play(story, taken);
        await compare(story);
      }
    }),
    { numRuns: 12 },
  );
});

async function compare({ orgId, templates }: Story): Promise<void> {
  const status = await statusCache(ctx).refresh(orgId);
  if (!status) throw new Error('the organization has a status');
  for (const budget of templates) {
    const expected = await naive(budget);
    expect(shown(await counted(budget), budget)).toEqual(shown(expected, budget));
    const { startMs } = windowAt(budget, clock.now());
    for (const userId of PEOPLE) {
      const open = openBudgetsOf(status, { orgId, userId, projectId: 'x', countsUnnamed: true }, clock.now());
      const own = open.find((each) => each.budget._id === budget._id);
      if (budget.scope === 'org') expect(own).toBeDefined();
      const used = own?.current ?? 0;
      expect({ userId, used }).toEqual({ userId, used: expected.get(`${startMs} ${userId}`) ?? 0 });
      if (own) expect(own.budget).toMatchObject({ scope: 'user', scope_id: userId, limit: budget.limit });
    }
  }
}

it('misses nobody when many people have used something at once', async () => {
  clock.set(NOW);
  const { orgId, record } = await begin();
  const use = (people: readonly string[]) =>
    record(...people.map((user_id) => ({ user_id, ts: clock.now(), cost_usd: 1 })));
  const read = async (known: BudgetStatus | null) =>
    (await refreshStatuses(ctx, new Map([[orgId, known]]))).get(orgId) ?? null;
  await use(['ada']);
  const before = await read(null);
  const many = Array.from({ length: 501 }, (_, at) => `u${at}`);
  await use(many);
  const after = await read(before);
  const usedBy = (userId: string) =>
    after && openBudgetsOf(after, { orgId, userId, projectId: 'x' }, clock.now())[0]?.current;
  expect(['ada', ...many].filter((userId) => usedBy(userId) !== 1e9)).toEqual([]);
});
