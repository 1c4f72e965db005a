import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { makeSnapshots } from '../../shared/core/calls/usage/make-snapshots.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { readWindows } from '../../shared/core/limits/budgets/count/read-windows.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { counterKey } from '../../shared/core/limits/budgets/rules/keys.ts';
import { BUDGET_METRICS, budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { everyCalendar } from '../support/calendars.ts';
import { fixture } from '../support/fixture.ts';
import { anyCall } from '../support/random-calls.ts';
import { repriceInParts } from '../support/reprice.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 18, 10, 20);
/** When signals arrive, and when some are voided after that. */
const PHASES = [NOW - 6 * DAY, NOW - 3 * DAY - 90 * MINUTE, NOW];
const FROM = new Date(NOW - 33 * DAY).toISOString().slice(0, 10);
/** Every session has a time of its own, so that none of a user reaches to another. */
const SLOT = 6 * HOUR;

/** A story is some hundred requests: as long as a hundred histories of credits. `laws/histories` voids in many more orders. */
const STORIES = Number(process.env.LAW_RUNS ?? 200) / 100;

const { api, ctx, clock, tenant } = await fixture({ clock: PHASES[0] ?? 0 });

/** A call between the first and the last of its session, that may come later than these, and be voided later still. */
const extra = fc.record({
  call: anyCall,
  isIntervention: fc.boolean(),
  /** Where in the session, and after how many phases it comes and is voided. */
  at: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  late: fc.nat(2),
  voided: fc.option(fc.nat(2), { nil: null }),
});

const session = fc.record({
  user_id: fc.constantFrom('ada', 'bob'),
  project_id: fc.constantFrom('apollo', 'gemini'),
  adapter: fc.constantFrom('codex', 'claude-code'),
  /** Calls so near to each other that they are one session, whatever lies between them. */
  pillars: fc.array(fc.record({ call: anyCall, gap: fc.integer({ min: 1, max: 25 }) }), {
    minLength: 2,
    maxLength: 4,
  }),
  extras: fc.array(extra, { maxLength: 4 }),
  /** After how many phases all of it is voided; null: never. */
  voided: fc.option(fc.nat(2), { nil: null, freq: 3 }),
});

const storyWithin = (slots: number) =>
  fc.record({
    slots: fc.uniqueArray(fc.nat(slots), { minLength: 6, maxLength: 6 }),
    sessions: fc.array(session, { minLength: 1, maxLength: 6 }),
    hasSnapshots: fc.boolean(),
  });
const story = storyWithin(80);
/** Its windows have counted most of its calls, and many of them are over. */
const recentStory = storyWithin(28);
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

interface Planned {
  signal: Record<string, unknown>;
  /** The phases in which it comes and is voided. */
  comes: number;
  voided: number | null;
}

const signalOf = (id: string, ts: number, of: object, call: object) => ({
  id,
  ts: new Date(ts).toISOString(),
  ...of,
  ...call,
});

const GATE = { kind: 'tool', verdict: 'warn', action: 'allow', source: 'config' };

/** The signals of a session: those that bound it come together, and before those between them. */
function plan({ pillars, extras, voided, ...of }: Story['sessions'][number], name: string, slot: number) {
  const startMs = NOW - (slot + 1) * SLOT + slot;
  const times = pillars.map((_, at) =>
    pillars.slice(0, at).reduce((sum, { gap }) => sum + gap * MINUTE, startMs),
  );
  const endMs = times.at(-1) ?? startMs;
  const comes = Math.max(
    0,
    PHASES.findIndex((phase) => phase >= endMs),
  );
  const later = (phase: number, by: number) => Math.min(phase + by, PHASES.length - 1);
  const planned: Planned[] = pillars.map((pillar, at) => ({
    signal: signalOf(`${name}-p${at}`, times[at] ?? 0, of, pillar.call),
    comes,
    voided: voided === null ? null : later(comes, voided),
  }));
  for (const [at, { call: made, isIntervention, ...between }] of extras.entries()) {
    const ts = Math.floor(startMs + 1 + (endMs - startMs - 2) * between.at);
    const posted = signalOf(`${name}-e${at}`, ts, of, made);
    const own = later(comes, between.late);
    const gone = voided ?? between.voided;
    planned.push({
      signal: isIntervention ? { ...posted, type: 'intervention', intervention: GATE } : posted,
      comes: own,
      voided: gone === null ? null : Math.max(own, later(comes, gone)),
    });
  }
  return planned;
}

async function makeOrganization() {
  const own = await tenant({ timezone: 'America/New_York' });
  await own.member('ada', { teams: ['red'] });
  const scopes = [
    { scope: 'org', scope_id: own.orgId },
    { scope: 'user', scope_id: 'ada' },
    { scope: 'project', scope_id: 'apollo' },
    { scope: 'team', scope_id: 'red' },
  ] as const;
  for (const [at, metric] of BUDGET_METRICS.entries())
    for (const [turn, calendar] of everyCalendar(clock.now(), 9).entries()) {
      const threshold = { cost_usd: 4, errors: 2, sessions: 2, signals: 4 }[metric as 'errors'] ?? 60_000;
      const name = `${metric} ${Object.values(calendar).join(' ')}`;
      const scope = scopes[(at + turn) % scopes.length] ?? scopes[0];
      await own.budget({ name, ...scope, ...calendar, timezone: undefined, metric, threshold });
    }
  const ask = async (path: string, body?: object) => {
    const answer = await api.call(`/api/v1/${path}`, { key: own.key, ...(body ? { body } : {}) });
    expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
    return answer;
  };
  return { ...own, ask, sessions: new Map<string, string>() };
}
type Own = Awaited<ReturnType<typeof makeOrganization>>;

async function post({ ask, sessions }: Own, signals: readonly Record<string, unknown>[]) {
  if (signals.length === 0) return [];
  const { body } = await ask('signals', { signals });
  for (const { id, session_id } of body.results) sessions.set(id, session_id);
  return body.results.map(({ status }: { status: string }) => status);
}

async function voidAll({ ask, sessions }: Own, planned: readonly Planned[]) {
  const ids = planned.map(({ signal }) => String(signal.id));
  // In two requests, so that the second finds what the first has left.
  for (const [sessionId, own] of Map.groupBy(ids, (id) => sessions.get(id) ?? ''))
    for (const signal_ids of [own.slice(0, 2), own.slice(2)].filter(({ length }) => length > 0)) {
      const answer = await ask(`sessions/${sessionId}/void`, { signal_ids, reason: 'wrong' });
      expect(answer.body).toMatchObject({ voided: signal_ids, already: [] });
    }
}

/** Names that every organization has its own of, such as ids, by what they are. */
function withoutIds(text: string, orgId: string): string {
  return text.replaceAll(orgId, 'ORG').replace(/\b(ses|bud|evt|prl)_[A-Za-z0-9]{22}\b/g, '$1');
}

const RANGE = `from=${FROM}&to=2026-11-19`;
const QUESTIONS = [
  ...['user_id', 'project_id', 'model', 'adapter', 'user_id,model'].map(
    (by) => `usage?${RANGE}&group_by=${by}`,
  ),
  ...['hour', 'day', 'week', 'month'].map((interval) => `usage?${RANGE}&interval=${interval}`),
  `usage?${RANGE}&interval=day&series=groups&group_by=user_id`,
  `usage?${RANGE}&timezone=Asia/Kathmandu&interval=day`,
  `usage?${RANGE}&user_id=ada&group_by=model`,
  'sessions?limit=100',
  'sessions?limit=100&order=asc&user_id=ada',
  'sessions?limit=100&model=gpt-5',
  'sessions?limit=2',
  `sessions?from=${FROM}&to=2026-11-10`,
  'org/{org}/usage?group_by=team',
  `usage/export?${RANGE}&level=sessions&format=csv`,
  `usage/export?${RANGE}&level=daily&format=csv`,
  'budgets?limit=100',
];

/** All that can be asked about an organization, without what differs by name alone. */
async function answers({ orgId, ask }: Own): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const question of QUESTIONS) {
    const { text, body } = await ask(question.replace('{org}', orgId));
    if (question.startsWith('sessions')) told[question] = JSON.stringify({ ...body, cursor: '' });
    else if (question.startsWith('budgets'))
      told[question] = JSON.stringify(
        body.data.toSorted(byName).map(({ id: _id, last_evaluated_at: _at, ...rest }: Named) => rest),
      );
    else if (question.includes('export'))
      told[question] = withoutIds(text, orgId).split('\n').toSorted().join('\n');
    else told[question] = text;
  }
  const { body: budgets } = await ask('budgets?limit=100');
  for (const { id, name, window } of budgets.data.toSorted(byName)) {
    const windows = await ask(`budgets/${id}/windows?limit=100`);
    told[`windows of ${name}`] = windows.text;
    // A level of a rolling budget that goes on from one window to the next is told of the first, also if that one loses it.
    if (window === 'rolling') continue;
    const { body: events } = await ask(`budgets/${id}/events?limit=100`);
    const holding = events.data.filter(({ reversed_at }: { reversed_at: string | null }) => !reversed_at);
    const fired = holding.map(
      ({ level, window_start }: Record<string, string>) => `${window_start} ${level}`,
    );
    told[`levels of ${name}`] = [...new Set<string>([...fired, ...reachedTooLate(windows.body.data)])]
      .toSorted()
      .join();
  }
  const { body: sessions } = await ask('sessions?limit=100');
  for (const { id, started_at } of sessions.data)
    told[`session ${started_at}`] = (await ask(`sessions/${id}`)).text;
  for (const [question, text] of Object.entries(told)) told[question] = withoutIds(text, orgId);
  return told;
}

/**
 * Levels of windows that are over, by what they count now: a call that comes too late to tell a level leaves one that was told before
 * what was voided went.
 */
function reachedTooLate(windows: readonly { start: string; end: string | null; utilization_pct: number }[]) {
  const over = windows.filter(({ end }) => end !== null && Date.parse(end) < clock.now());
  return over.flatMap(({ start, utilization_pct }) => [
    ...(utilization_pct >= 80 ? [`${start} warning`] : []),
    ...(utilization_pct >= 100 ? [`${start} exceeded`] : []),
  ]);
}

/** A budget. The time of its last evaluation is no amount. */
interface Named {
  id: string;
  name: string;
  window: string;
  last_evaluated_at: string | null;
}
const byName = (a: Named, b: Named) => (a.name < b.name ? -1 : 1);

async function check({ orgId }: Own) {
  const organization = await readOrganization(ctx, orgId);
  expect(await reconcileUsage(ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
  for (const { _id, model_tokens } of await sessionRows(ctx).find({ org_id: orgId }).toArray())
    expect(Object.fromEntries(model_tokens.map(({ model, tokens }) => [model, tokens]))).toEqual(
      await tokensByModel(_id),
    );
}

/** The tokens of each model of a session, by its signals that are not voided. */
async function tokensByModel(session_id: string): Promise<Record<string, number>> {
  const tokens: Record<string, number> = {};
  for (const { model, tokens_in, tokens_out, voided } of await signalRows(ctx).find({ session_id }).toArray())
    if (model !== null && !voided) tokens[model] = (tokens[model] ?? 0) + tokens_in + tokens_out;
  return tokens;
}

/** Plays a story: in each phase signals come to these organizations, and some are voided, of which `spared` hears nothing. */
async function play(
  { slots, sessions, hasSnapshots }: Story,
  [first, ...others]: [Own, ...Own[]],
  spared?: Own,
): Promise<Planned[]> {
  const all = [first, ...others, ...(spared ? [spared] : [])];
  const planned = sessions.flatMap((each, at) => plan(each, `s${at}`, slots[at] ?? 0));
  for (const [phase, ms] of PHASES.entries()) {
    clock.set(ms);
    const coming = planned.filter(({ comes }) => comes === phase);
    const leaving = planned.filter(({ voided }) => voided === phase);
    for (const own of all) {
      const heard = own === spared ? coming.filter(({ voided }) => voided === null) : coming;
      await post(
        own,
        heard.map(({ signal }) => signal),
      );
      await evaluateDue(ctx, own.orgId);
    }
    if (hasSnapshots)
      await makeSnapshots(ctx, await readOrganization(ctx, first.orgId), { fromMs: 0, toMs: ms });
    for (const own of all) {
      if (own !== spared) await voidAll(own, leaving);
      await evaluateDue(ctx, own.orgId);
    }
  }
  return planned;
}

it('signals that were recorded and voided leave every answer as if they had never come', {
  timeout: STORIES * 80_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      clock.set(PHASES[0] ?? 0);
      const [correcting, spared] = [await makeOrganization(), await makeOrganization()];
      const planned = await play(told, [correcting], spared);
      expect(await answers(correcting)).toEqual(await answers(spared));
      await check(correcting);
      const gone = planned.filter(({ voided }) => voided !== null).map(({ signal }) => signal);
      const before = await answers(correcting);
      expect(new Set(await post(correcting, gone))).toEqual(new Set(gone.length > 0 ? ['duplicate'] : []));
      expect(await answers(correcting)).toEqual(before);
    }),
    { numRuns: STORIES, endOnFailure: true },
  );
});

const RULES = [
  { name: 'Contract', from: '2026-01-01', match: { model: 'gpt-*' }, discount_percent: 12.5 },
  {
    name: 'Ours',
    from: '2026-01-01',
    match: { model: 'unheard-*' },
    usd_per_million: { input: 700, output: 1_900.5, cache_read: 70 },
    replaces_reported: true,
  },
];

/** The counts of all windows of each budget that are stored, also of those that are long over. */
async function countedOf({ orgId }: Own): Promise<Record<string, unknown>> {
  const windows = Map.groupBy(await readWindows(ctx, { org_id: orgId }), ({ counter }) => counter);
  const budgets = await budgetRows(ctx).find({ org_id: orgId }).toArray();
  const rows = budgets.map((budget) => {
    const own = windows.get(counterKey(budget)) ?? [];
    return [budget.name, own.map(({ interval, usage }) => JSON.stringify([interval, usage])).toSorted()];
  });
  return Object.fromEntries(rows);
}

async function addRules({ ask }: Own) {
  for (const rule of RULES) await ask('price-rules', rule);
}

it('calls that are priced anew leave every answer as if they had come with their price', {
  timeout: STORIES * 80_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(recentStory, fc.nat(5), async (told, killAt) => {
      clock.set(PHASES[0] ?? 0);
      const [late, early] = [await makeOrganization(), await makeOrganization()];
      await addRules(early);
      await play(told, [late, early]);
      await addRules(late);
      const input = { from: NOW - 34 * DAY, to: NOW + MINUTE, only_unpriced: false };
      const between = async () => undefined;
      const { preview, applied } = await repriceInParts(ctx, late.orgId, input, { killAt, between });
      expect(applied).toMatchObject({ applied: preview.changed, skipped: 0 });
      for (const { orgId } of [late, early]) await evaluateDue(ctx, orgId);
      // Windows that were over by then have raised nothing.
      const withoutLevels = (told: Record<string, string>) =>
        Object.fromEntries(Object.entries(told).filter(([question]) => !question.startsWith('levels of')));
      expect(withoutLevels(await answers(late))).toEqual(withoutLevels(await answers(early)));
      expect(await countedOf(late)).toEqual(await countedOf(early));
      await check(late);
    }),
    {
      numRuns: STORIES,
      endOnFailure: true,
      ...(process.env.LAW_SEED ? { seed: Number(process.env.LAW_SEED) } : {}),
    },
  );
});

it('a session without signals is there by its id alone, with zeros, and a later signal joins it', async () => {
  clock.set(NOW);
  const own = await makeOrganization();
  const of = { user_id: 'ada', project_id: 'apollo', adapter: 'codex', model: 'gpt-5', tokens_in: 10 };
  const ts = new Date(NOW - MINUTE).toISOString();
  await post(own, [{ id: 'a', ts, ...of }]);
  const id = own.sessions.get('a') ?? '';
  const { body: voided } = await own.ask(`sessions/${id}/void`, { signal_ids: ['a'], reason: 'wrong' });
  const zeros = { signal_count: 0, tokens_in: 0, cost_usd: 0, models: [], model: 'unknown' };
  expect(voided.session).toMatchObject({ id, ...zeros });
  const { body: empty } = await own.ask(`sessions/${id}`);
  expect(empty).toEqual({ ...voided.session, anomaly_types: [], signals: [], attribution: [], contexts: [] });
  const list = async () => (await own.ask('sessions')).body;
  expect(await list()).toMatchObject({ data: [], total: 0 });
  await post(own, [{ id: 'b', ts, ...of }]);
  expect(own.sessions.get('b')).toBe(id);
  expect(await list()).toMatchObject({ data: [{ id, signal_count: 1, tokens_in: 10 }], total: 1 });
  await check(own);
  expect(await sessionRows(ctx).countDocuments({ org_id: own.orgId })).toBe(1);
});
