import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import type { Organization } from '../../shared/core/accounts/organizations/model.ts';
import { bucketEdges, type SeriesInterval, zonesOf } from '../../shared/core/calls/usage/calendar.ts';
import { changesOf, costsOf, explanationOf, type Periods } from '../support/changes-oracle.ts';
import { labelOf, makeWorld, NOW, PULLS } from '../support/questions-world.ts';
import { pick, seeded } from '../support/random.ts';
import { nameOf, queryOf, reads } from '../support/read-routes.ts';
import {
  added,
  type Fact,
  type Facts,
  FILTERS,
  factsOf,
  grouped,
  LAB,
  type Query,
  type Run,
  SHOP,
  sessionsOf,
  shown,
  sumOf,
  usd,
  visibleTo,
} from '../support/usage-oracle.ts';

const DAY = 86_400_000;
const QUARTER = 900_000;
const SEED = Number(process.env.LAW_SEED ?? 20_261_129);
const random = seeded(SEED);
const { host, keys, states, facts: readAll, organization } = await makeWorld(random);
const iso = (ms: number) => new Date(ms).toISOString();

type As = keyof typeof keys;
const OWN: Record<As, string | null> = {
  admin: null,
  unbound: null,
  bound: 'ada',
  'a person who is an admin': null,
  'a member': 'ada',
};
const KEYS: readonly As[] = ['admin', 'unbound', 'bound'];

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Body = any;

/** A kind of question: the parameters that it may have, and the check of its answer. */
interface Kind {
  parameters: readonly string[];
  readers: readonly As[];
  /** Adds to the parameters of a question. */
  shape: (query: Record<string, string>) => Record<string, string>;
  ask: (query: Query, as: As) => Promise<{ status: number; body: Body }>;
  /** Where it is not a 200: the status of a question of this reader. */
  refusal?: (query: Query, as: As) => number | null;
  check: (body: Body, query: Query, facts: Facts) => void;
}

const localMs = (date: string, timezone = 'America/New_York') =>
  Temporal.PlainDate.from(date).toZonedDateTime(timezone).epochMilliseconds;
const FLOORED = Math.ceil(NOW / QUARTER) * QUARTER;
const since = (days: number) => Math.floor((NOW - days * DAY) / QUARTER) * QUARTER;
/** Ranges as they are asked for, and their times. Those of dates are whole days, further back than 35 days. */
const RANGES: readonly { asked: Query; of: readonly [number, number]; isOld?: true; isShort?: true }[] = [
  { asked: {}, of: [FLOORED - 30 * DAY, FLOORED] },
  { asked: { from: '2026-02-03' }, of: [localMs('2026-02-03'), FLOORED], isOld: true },
  {
    asked: { from: '2026-02-01', to: '2026-03-04' },
    of: [localMs('2026-02-01'), localMs('2026-03-04')],
    isOld: true,
  },
  { asked: { from: iso(since(34)) }, of: [since(34), FLOORED] },
  { asked: { from: iso(since(2.2)) }, of: [since(2.2), FLOORED], isShort: true },
  { asked: { from: iso(since(20.3)), to: iso(since(6.1)) }, of: [since(20.3), since(6.1)] },
];
/** FOCUS has whole days in UTC alone. */
const UTC_DAYS = {
  asked: { from: '2026-03-10', to: '2026-04-04' },
  of: [localMs('2026-03-10', 'UTC'), localMs('2026-04-04', 'UTC')],
} as const;
const rangeOf = ({ from, to }: Query) => {
  const known = RANGES.find(({ asked }) => asked.from === from && asked.to === to);
  if (!known) throw new Error(`No such range: ${from} ${to}`);
  return known.of;
};
/** The times of a list of things, which begins and ends where it is asked to. */
const listRangeOf = ({ from, to }: Query) => {
  const timeOf = (text: string) => (text.includes('T') ? Date.parse(text) : localMs(text));
  return [from ? timeOf(from) : 0, to ? timeOf(to) : Number.MAX_SAFE_INTEGER] as const;
};
/** Ranges of a list of sessions: some begin or end when one began. */
const sessionRanges = (): Query[] => {
  const at = iso(pick(random, facts.sessions).at);
  return [{}, { from: at }, { to: at }, ...RANGES.map(({ asked }) => asked)];
};

/** A range, and an interval and a timezone that it can be answered in. */
function period(query: Record<string, string>, intervals: readonly string[]): Record<string, string> {
  const { asked, isOld, isShort } = pick(random, RANGES);
  const known = intervals.filter((interval) => isShort || interval !== 'hour');
  const timezone = isOld ? undefined : pick(random, [undefined, undefined, 'Europe/Berlin']);
  return {
    ...query,
    ...asked,
    ...(known.length > 0 ? { interval: pick(random, known) } : {}),
    ...(timezone ? { timezone } : {}),
  };
}

const parameterOf = (path: string, name: string) => {
  const route = reads.find((one) => one.path === path);
  return route && queryOf(route).find((parameter) => parameter.name === name);
};
const valuesOf = (path: string, name: string) => parameterOf(path, name)?.schema.enum ?? [];
/** The groupings that a route's document names. */
const groupingsOf = (path: string) =>
  (
    /^One or two of ([\w, ]+), separated/.exec(parameterOf(path, 'group_by')?.description ?? '')?.[1] ?? ''
  ).split(', ');

const filtersIn = (names: readonly string[]) => names.filter((name) => name in FILTERS);
const filtersOf = (path: string) =>
  filtersIn(reads.filter((one) => one.path === path).flatMap((one) => queryOf(one).map(({ name }) => name)));
const groupBy = (names: readonly string[]) => names.map((name) => `group_by:${name}`);

const http = (path: string) => (query: Query, as: As) =>
  host.send(`${path}?${new URLSearchParams(query).toString()}`, undefined, { key: keys[as] });

const bucketsOf = ({ interval = 'none', timezone }: Query, [fromMs, toMs]: readonly [number, number]) =>
  bucketEdges(zonesOf(organization as Organization, timezone, NOW), interval as SeriesInterval, fromMs, toMs);
const within = <F extends Fact>(rows: readonly F[], fromMs: number, toMs: number) =>
  rows.filter(({ at }) => at >= fromMs && at < toMs);

function seriesOf(rows: readonly Fact[], edges: readonly number[]) {
  return edges.slice(1).map((toMs, at) => {
    const fromMs = edges[at] ?? 0;
    return { start: iso(fromMs), ...shown(sumOf(within(rows, fromMs, toMs))) };
  });
}

/** `toEqual`, which takes long for what is equal. */
function expectEqual(found: unknown, meant: unknown): void {
  if (!isDeepStrictEqual(found, meant)) expect(found).toEqual(meant);
}

const byKey = (a: { key: object }, b: { key: object }) =>
  JSON.stringify(a.key) < JSON.stringify(b.key) ? -1 : 1;

function groupsOf(facts: Facts, rows: readonly Fact[], by: readonly string[]) {
  return [...grouped(facts, rows, by)].map(([key, own]) => ({ key: JSON.parse(key), ...shown(sumOf(own)) }));
}

/** An answer about usage is that of a scan: in total, by time and by group. */
function checkUsage(body: Body, query: Query, facts: Facts): void {
  const range = rangeOf(query);
  const rows = factsOf(facts, query, range);
  const edges = bucketsOf(query, range);
  expect([body.from, body.to]).toEqual(range.map(iso));
  const names = query.group_by ? query.group_by.split(',') : [];
  if (query.series === undefined) {
    expect(body.totals).toEqual(shown(sumOf(rows)));
    expectEqual(body.series, (query.interval ?? 'none') === 'none' ? [] : seriesOf(rows, edges));
    const groups = names.length === 0 ? [] : groupsOf(facts, rows, names);
    expectEqual(body.groups.toSorted(byKey), groups.toSorted(byKey));
    return;
  }
  const usersOf = (own: readonly Fact[]) => ({
    active_users: new Set(own.map(({ user_id }) => user_id)).size,
  });
  expect(body.totals).toEqual({ ...shown(sumOf(rows)), ...usersOf(rows) });
  // Users of buckets are counted where they are grouped.
  const buckets = seriesOf(rows, edges).map((bucket, at) => ({
    ...bucket,
    ...(names.includes('user_id') ? usersOf(within(rows, edges[at] ?? 0, edges[at + 1] ?? 0)) : {}),
  }));
  expectEqual(body.series, buckets);
  for (const by of names) {
    const groups = grouped(facts, rows, [by]);
    const isOwn = ({ key }: Body) => key === null || by in key;
    const [rest, tops] = [true, undefined].map((isRest) =>
      body.groups.filter((one: Body) => isOwn(one) && one.rest === isRest),
    );
    expect(tops).toHaveLength(Math.min(groups.size, Number(query.top ?? 8)));
    const left = new Map(groups);
    for (const { key, series, ...sums } of tops) {
      const own = left.get(JSON.stringify(key)) ?? [];
      expect(sums).toEqual(shown(sumOf(own)));
      expectEqual(series, seriesOf(own, edges));
      left.delete(JSON.stringify(key));
    }
    const highest = Math.max(0, ...[...left.values()].map((own) => usd(sumOf(own).nusd)));
    for (const { cost_usd } of tops) expect(cost_usd).toBeGreaterThanOrEqual(highest);
    expect(rest).toHaveLength(left.size > 0 ? 1 : 0);
    const others = [...left.values()].flat();
    for (const { key: _key, rest: _rest, series, ...sums } of rest) {
      expect(sums).toEqual(shown(sumOf(others)));
      expectEqual(series, seriesOf(others, edges));
    }
  }
}

function usageKind(path: string, asked = path): Kind {
  const groupings = groupingsOf(path);
  return {
    parameters: [...filtersOf(path), ...groupBy(groupings)],
    readers: KEYS,
    shape: (query) => {
      const made = period(query, valuesOf(path, 'interval'));
      const by = made.group_by ? made.group_by.split(',') : [];
      if (by.length === 0 || made.interval === 'none' || random() < 0.6) return made;
      const top = random() < 0.5 ? { top: pick(random, ['1', '2', '3']) } : {};
      return { ...made, ...top, series: by.length === 1 ? pick(random, valuesOf(path, 'series')) : 'each' };
    },
    ask: http(asked),
    refusal: ({ team }, as) => (OWN[as] !== null && (team !== undefined || asked !== path) ? 403 : null),
    check: checkUsage,
  };
}

const CHANGES = '/api/v1/usage/changes';
/** Ranges with a period before them that can be answered: of dates where clocks changed too, and of times with days between. */
const CHANGED: readonly { asked: Query; periods: Periods }[] = [
  {
    asked: { from: iso(since(2.2)) },
    periods: [2 * since(2.2) - FLOORED, since(2.2), since(2.2), FLOORED],
  },
  {
    asked: { from: iso(since(16.1)), to: iso(since(2.1)) },
    periods: [2 * since(16.1) - since(2.1), since(16.1), since(16.1), since(2.1)],
  },
  {
    asked: { from: '2026-03-07', to: '2026-03-10' },
    periods: [localMs('2026-03-04'), localMs('2026-03-07'), localMs('2026-03-07'), localMs('2026-03-10')],
  },
  {
    asked: { from: '2026-03-09', to: '2026-03-11' },
    periods: [localMs('2026-03-07'), localMs('2026-03-09'), localMs('2026-03-09'), localMs('2026-03-11')],
  },
  {
    asked: { from: iso(since(5)), before_from: '2026-02-10', before_to: iso(since(30.4)) },
    periods: [localMs('2026-02-10'), since(30.4), since(5), FLOORED],
  },
];
const changes: Kind = {
  parameters: filtersOf(CHANGES),
  readers: KEYS,
  shape: (query) => ({ ...query, ...pick(random, CHANGED).asked }),
  ask: async (query, as) => {
    const answer = await http(CHANGES)(query, as);
    return { ...answer, body: { ...answer.body, isOfAll: OWN[as] === null } };
  },
  refusal: ({ team }, as) => (OWN[as] !== null && team !== undefined ? 403 : null),
  check: checkChanges,
};

/** Both periods, each row of each split and the explanation are those of a scan. */
function checkChanges({ isOfAll, ...body }: Body, query: Query, facts: Facts): void {
  const { periods } = CHANGED.find(({ asked }) => asked.from === query.from) ?? fail(query);
  const [beforeMs, beforeEndMs, fromMs, toMs] = periods;
  const meant = changesOf(facts, query, periods, isOfAll);
  const { splits, explained_by, ...rest } = body;
  expect(rest).toEqual({
    from: iso(fromMs),
    to: iso(toMs),
    before: { from: iso(beforeMs), to: iso(beforeEndMs) },
    ...costsOf(meant.total),
  });
  expect(splits.map(({ by }: Body) => by)).toEqual(Object.keys(meant.splits));
  for (const { by, rows } of splits) {
    const known = new Map(meant.splits[by]);
    const named = rows.filter(({ rest: isRest, twice }: Body) => !isRest && !twice);
    expect(named).toHaveLength(Math.min(20, known.size));
    for (const { key, ...costs } of named)
      expect(costs).toEqual(costsOf(known.get(key) ?? fail({ by, key })));
    const sum = rows.reduce((all: bigint, { difference_usd }: Body) => all + nusdText(difference_usd), 0n);
    expect(sum).toBe(meant.total.now - meant.total.before);
  }
  const explained = explanationOf(meant);
  expect(explained_by).toEqual(explained && { ...explained, share: expect.closeTo(explained.share, 3) });
}

const nusdText = (text: string) => BigInt(text.replace('.', ''));
function fail(of: unknown): never {
  throw new Error(`No such: ${JSON.stringify(of)}`);
}

const SORTS: Readonly<Record<string, (run: Run) => number>> = {
  started_at: ({ at }) => at,
  cost_usd: ({ own }) => Number(own.nusd),
  tokens: ({ own }) => own.tokens_in + own.tokens_out,
  signal_count: ({ own }) => own.signals,
  error_count: ({ own }) => own.errors,
  intervention_count: ({ own }) => own.interventions,
  duration_s: ({ at, lastMs }) => Math.floor((lastMs - at) / 1_000),
};

function sessionView({ id, user_id, project_id, adapter, model, at, lastMs, state, own }: Run) {
  return {
    id,
    user_id,
    project_id,
    adapter,
    model,
    state,
    started_at: iso(at),
    last_activity_at: iso(lastMs),
    signal_count: own.signals,
    error_count: own.errors,
    intervention_count: own.interventions,
    tokens_in: own.tokens_in,
    tokens_out: own.tokens_out,
    cost_usd: usd(own.nusd),
    unpriced_signals: own.unpriced_signals,
  };
}

const seen = (row: Record<string, unknown>, like: object) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, row[name]]));

function expectSessions(rows: readonly Record<string, unknown>[], meant: readonly Run[]): void {
  const byId = new Map(meant.map((session) => [session.id, sessionView(session)]));
  expect(rows.map(({ id }) => String(id)).toSorted()).toEqual([...byId.keys()].toSorted());
  for (const row of rows) {
    const view = byId.get(String(row.id)) ?? {};
    expectEqual(seen(row, view), view);
  }
}

function checkSessions(body: Body, query: Query, facts: Facts): void {
  const meant = sessionsOf(facts, query, listRangeOf(query));
  expect(body.total).toBe(meant.length);
  expectSessions(body.data, meant);
  const { sort = 'started_at', order = 'desc' } = query;
  const value = SORTS[sort] ?? (() => Number.NaN);
  const inOrder = meant.toSorted((a, b) => value(a) - value(b) || (a.id < b.id ? -1 : 1));
  expect(body.data.map(({ id }: Body) => id)).toEqual(
    (order === 'asc' ? inOrder : inOrder.toReversed()).map(({ id }) => id),
  );
}

/** All pages of a list as one. */
async function allPages(ask: (cursor: object) => Promise<{ status: number; body: Body }>) {
  const first = await ask({});
  if (first.status !== 200) return first;
  const data = [...first.body.data];
  for (let { cursor, has_more } = first.body; has_more; ) {
    const { body } = await ask({ cursor });
    data.push(...body.data);
    ({ cursor, has_more } = body);
  }
  return { status: 200, body: { ...first.body, data } };
}

const SESSIONS = '/api/v1/sessions';
const sessions: Kind = {
  parameters: filtersOf(SESSIONS),
  readers: KEYS,
  shape: (query) => ({
    ...query,
    ...pick(random, sessionRanges()),
    ...(random() < 0.5 ? { sort: pick(random, valuesOf(SESSIONS, 'sort')) } : {}),
    order: pick(random, valuesOf(SESSIONS, 'order')),
    limit: pick(random, ['9', '100']),
  }),
  ask: (query, as) => allPages((cursor) => http(SESSIONS)({ ...query, ...cursor }, as)),
  refusal: ({ team }, as) => (OWN[as] !== null && team !== undefined ? 403 : null),
  check: checkSessions,
};

/** Amounts of exports have nine decimals. */
const nusdOf = (amount: number) => BigInt(Math.round(amount * 1e9));

/** Rows of days are sums of a scan, by day and by all that the level has. */
function checkDays(body: Body, query: Query, facts: Facts, names: readonly string[]): void {
  const range = rangeOf(query);
  const edges = bucketsOf({ ...query, interval: 'day' }, range);
  const meant = factsOf(facts, query, range);
  const rows = edges.slice(1).flatMap((toMs, at) => {
    const fromMs = edges[at] ?? 0;
    const groups = [...grouped(facts, within(meant, fromMs, toMs), names)];
    return groups.map(([key, own]) => ({ start: iso(fromMs), ...JSON.parse(key), ...sumOf(own) }));
  });
  const text = (row: object) =>
    JSON.stringify(row, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
  const found = body.map(({ cost_usd, ...row }: Body) =>
    seen({ ...row, nusd: nusdOf(cost_usd) }, rows[0] ?? row),
  );
  expectEqual(found.map(text).toSorted(), rows.map(text).toSorted());
}

const OF_USAGE = ['user_id', 'project_id', 'model', 'adapter'];
const EXPORT = '/api/v1/usage/export';
/** The levels of exports: the check of each. */
const LEVELS: Readonly<Record<string, Kind['check']>> = {
  daily: (body, query, facts) => checkDays(body, query, facts, OF_USAGE),
  attributed: (body, query, facts) =>
    checkDays(body, query, facts, [...OF_USAGE, 'repository', 'branch', 'pull_request', 'task']),
  sessions: (body, query, facts) => {
    const rows = body.map((row: Body) => ({ ...row, cost_usd: usd(nusdOf(row.cost_usd)) }));
    expectSessions(rows, sessionsOf(facts, query, rangeOf(query)));
  },
  // The rows of FOCUS have a law of their own. Here it is the calls that they are of.
  focus: (body, query, facts) => {
    const { nusd } = sumOf(factsOf(facts, query, UTC_DAYS.of));
    expect(added(body.map((row: Body) => ({ ...sumOf([]), nusd: nusdOf(row.EffectiveCost) }))).nusd).toBe(
      nusd,
    );
  },
};

function exportKind(level: string): Kind {
  const ofSessions = ['errors', 'anomalous', 'state', 'min_cost_usd'];
  return {
    parameters: filtersOf(EXPORT).filter((name) => level === 'sessions' || !ofSessions.includes(name)),
    readers: KEYS,
    shape: (query) =>
      level === 'focus'
        ? { ...query, ...UTC_DAYS.asked, level, format: 'ndjson' }
        : { ...period(query, []), level, format: 'ndjson' },
    ask: async (query, as) => {
      const { status, text } = await http(EXPORT)(query, as);
      return {
        status,
        body:
          status === 200
            ? text
                .split('\n')
                .filter(Boolean)
                .map((line) => JSON.parse(line))
            : text,
      };
    },
    refusal: ({ team }, as) => (OWN[as] !== null && team !== undefined ? 403 : null),
    check: (body, query, facts) => LEVELS[level]?.(body, query, facts),
  };
}

const zoneAt = (at: number) =>
  organization.timezones.findLast(({ from }) => from.getTime() <= at)?.timezone ?? 'UTC';
const dateOf = (at: number | undefined) =>
  at === undefined
    ? null
    : Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zoneAt(at)).toPlainDate().toString();

/** The pull requests that a reader sees, with their calls. */
function pullsOf({ calls }: Facts, isOfAll: boolean) {
  const all = PULLS.map((one) => ({
    ...one,
    calls: calls.filter(({ pull_request }) => pull_request === labelOf(one)),
  }));
  return isOfAll ? all : all.filter((one) => one.calls.length > 0);
}

const PULL_FILTERS: Readonly<
  Record<string, { values: string[]; meets: (one: (typeof PULLS)[number], value: string) => boolean }>
> = {
  repository: {
    values: [SHOP, LAB, 'github.com/acme/none'],
    meets: ({ repository }, value) => repository === value,
  },
  number: { values: ['1', '2', '7'], meets: ({ number }, value) => number === Number(value) },
  state: { values: ['open', 'closed', 'merged'], meets: ({ state }, value) => state === value },
};
const meetsAll = (query: Query) => (one: (typeof PULLS)[number]) =>
  Object.entries(PULL_FILTERS).every(
    ([name, { meets }]) => query[name] === undefined || meets(one, query[name]),
  );

/** Ranges of pull requests: of dates, and of times between which some were opened. */
const PULL_RANGES: Query[] = [
  {},
  { from: iso(NOW - 62 * DAY) },
  { to: iso(NOW - 50 * DAY) },
  { from: iso(NOW - 3 * DAY) },
  { from: iso(NOW - 49 * DAY), to: iso(NOW - 4 * DAY) },
];
const isWithin = ({ from, to }: Query, at: number | null) =>
  at !== null && (from === undefined || at >= Date.parse(from)) && (to === undefined || at < Date.parse(to));

const PULLS_PATH = '/api/v1/pull-requests';
/** Times of calls: none, until now, the 30 days before one, and days of both timezones of the organization. */
const CALLED: readonly { asked: Query; of?: readonly [number, number] }[] = [
  { asked: {} },
  { asked: { calls_from: iso(since(8.2)) }, of: [since(8.2), FLOORED] },
  { asked: { calls_to: iso(since(1.3)) }, of: [since(1.3) - 30 * DAY, since(1.3)] },
  {
    asked: { calls_from: '2026-02-20', calls_to: '2026-03-09' },
    of: [localMs('2026-02-20'), localMs('2026-03-09')],
  },
];
const calledOf = ({ calls_from, calls_to }: Query) =>
  CALLED.find(({ asked }) => asked.calls_from === calls_from && asked.calls_to === calls_to)?.of;
const calledIn = (query: Query, calls: readonly Fact[]) => {
  const of = calledOf(query);
  return of ? within(calls, ...of) : calls;
};
const isOfAll = ({ sessions: runs }: Facts) => runs.some(({ user_id }) => user_id !== 'ada');

/** The costs of calls that belong together: sums, people and days, the owner, and the most expensive session. */
function workOf(calls: readonly Fact[], facts: Facts) {
  const {
    sessions: _s,
    interventions: _i,
    cache_read_tokens: _r,
    cache_write_tokens: _w,
    ...sums
  } = shown(sumOf(calls));
  const times = calls.map(({ at }) => at).toSorted((a, b) => a - b);
  const sessionOf = new Map(facts.sessions.flatMap(({ id, calls: own }) => own.map((call) => [call, id])));
  const topBy = (keyOf: (call: Fact) => string | undefined) => {
    const groups = [...Map.groupBy(calls, keyOf)].map(([key, own]) => ({ key, own, nusd: sumOf(own).nusd }));
    const [top] = groups.toSorted(
      (a, b) => Number(b.nusd - a.nusd) || (String(a.key) < String(b.key) ? -1 : 1),
    );
    return top && top.nusd > 0 ? { ...top, cost_usd: usd(top.nusd) } : null;
  };
  const [owner, top] = [topBy(({ user_id }) => user_id), topBy((call) => sessionOf.get(call))];
  return {
    ...sums,
    people: new Set(calls.map(({ user_id }) => user_id)).size,
    first_day: dateOf(times[0]),
    last_day: dateOf(times.at(-1)),
    owner: owner && isOfAll(facts) ? { user_id: owner.key, cost_usd: owner.cost_usd } : null,
    top_session: top && { id: top.key, user_id: top.own[0]?.user_id, cost_usd: top.cost_usd },
  };
}

const BRANCHES_PATH = '/api/v1/branches';
const branches: Kind = {
  parameters: ['repository'],
  readers: KEYS,
  shape: (query) => ({
    ...query,
    ...pick(random, CALLED).asked,
    order: pick(random, ['asc', 'desc']),
    limit: '2',
  }),
  ask: (query, as) => allPages((cursor) => http(BRANCHES_PATH)({ ...query, ...cursor }, as)),
  check: (body, query, facts) => {
    const calls = within(facts.calls, ...(calledOf(query) ?? [FLOORED - 30 * DAY, FLOORED])).filter(
      ({ repository, branch }) =>
        branch !== null && (query.repository === undefined || query.repository === repository),
    );
    const groups = Map.groupBy(calls, ({ repository, branch }) => JSON.stringify({ repository, branch }));
    const rows = [...groups].map(([name, own]) => ({ ...JSON.parse(name), ...workOf(own, facts) }));
    const byName = (all: Body[]) =>
      all.toSorted((a, b) => (a.repository + a.branch < b.repository + b.branch ? -1 : 1));
    expect(byName(body.data)).toEqual(byName(rows));
    const values = body.data.map(({ cost_usd }: Body) => cost_usd);
    const inOrder = values.toSorted((a: number, b: number) => a - b);
    expect(values).toEqual(query.order === 'asc' ? inOrder : inOrder.toReversed());
    expect(body.total).toBe(rows.length);
  },
};

const pullRequests: Kind = {
  parameters: ['repository', 'number', 'state', ...PULL_RANGES.map((_range, at) => `range:${at}`)],
  readers: KEYS,
  shape: (query) => ({
    ...query,
    ...pick(random, CALLED).asked,
    sort: pick(random, valuesOf(PULLS_PATH, 'sort')),
    order: pick(random, ['asc', 'desc']),
    limit: '2',
  }),
  ask: (query, as) => allPages((cursor) => http(PULLS_PATH)({ ...query, ...cursor }, as)),
  check: (body, query, facts) => {
    const meant = pullsOf(facts, isOfAll(facts))
      .filter((one) => meetsAll(query)(one) && isWithin(query, one.opened))
      .map((one) => ({ ...one, calls: calledIn(query, one.calls) }))
      .filter(({ calls }) => calledOf(query) === undefined || calls.length > 0);
    const rows = meant.map(({ repository, number, state, opened, calls }) => ({
      repository,
      number,
      state,
      opened_at: iso(opened),
      ...workOf(calls, facts),
    }));
    const byName = (all: Body[]) =>
      all
        .map((row): Body => seen(row, rows[0] ?? row))
        .toSorted((a, b) => (labelOf(a) < labelOf(b) ? -1 : 1));
    expect(byName(body.data)).toEqual(byName(rows));
    const values = body.data.map((row: Body) => (query.sort === 'cost_usd' ? row.cost_usd : row.opened_at));
    const inOrder = values.toSorted((a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0));
    expect(values).toEqual(query.order === 'asc' ? inOrder : inOrder.toReversed());
    expect(body.total).toBe(rows.length);
  },
};

const SUMMARY = `${PULLS_PATH}/summary`;
const summary: Kind = {
  parameters: ['repository', ...PULL_RANGES.map((_range, at) => `range:${at}`)],
  readers: KEYS,
  shape: (query) => query,
  ask: http(SUMMARY),
  check: (body, query, facts) => {
    const merged = pullsOf(facts, isOfAll(facts)).filter(
      (one) => one.state === 'merged' && meetsAll(query)(one) && isWithin(query, one.closed),
    );
    expect(body).toMatchObject({
      merged: merged.length,
      without_calls: merged.filter(({ calls }) => calls.length === 0).length,
      cost_usd: usd(sumOf(merged.flatMap(({ calls }) => calls)).nusd),
    });
  },
};

/** An answer of a tool, in which amounts are texts. */
const tool = (name: string) => async (query: Query, as: As) => {
  const { group_by, limit: _limit, ...args } = query;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = {
    name,
    arguments: { ...args, ...(group_by ? { group_by: group_by.split(',') } : {}) },
    _meta,
  };
  const { status, body, text } = await host.api.call('/mcp', {
    key: keys[as],
    headers: {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  });
  const { isError, structuredContent } = body.result ?? {};
  if (status !== 200 || isError) return { status: isError ? 404 : status, body: text };
  return {
    status,
    body: JSON.parse(JSON.stringify(structuredContent), (key, value) =>
      key === 'cost_usd' ? Number(value) : value,
    ),
  };
};
const ofOther = ({ user_id }: Query, as: As) =>
  OWN[as] !== null && user_id !== undefined && user_id !== OWN[as] ? 404 : null;

const AGENTS: readonly As[] = ['admin', 'bound', 'a person who is an admin', 'a member'];
const TOOLS: Readonly<Record<string, Omit<Kind, 'parameters'>>> = {
  get_usage: {
    readers: AGENTS,
    // A result has a bounded number of bytes, so intervals are long.
    shape: (query) => period(query, ['none', 'month']),
    ask: tool('get_usage'),
    refusal: ofOther,
    check: (body, query, facts) => {
      const { groups, groups_left_out } = body;
      const rows = factsOf(facts, query, rangeOf(query));
      const meant = query.group_by ? groupsOf(facts, rows, query.group_by.split(',')) : [];
      expect(groups.length + groups_left_out).toBe(meant.length);
      const costs = (all: Body[]) => all.map(({ cost_usd }) => cost_usd);
      expect(costs(groups)).toEqual(
        costs(meant)
          .toSorted((a, b) => b - a)
          .slice(0, groups.length),
      );
      const named = new Set(groups.map(({ key }: Body) => JSON.stringify(key)));
      const own = meant.filter(({ key }) => named.has(JSON.stringify(key)));
      expect(groups.toSorted(byKey)).toEqual(own.toSorted(byKey));
      checkUsage({ ...body, groups: [] }, { ...query, group_by: '' }, facts);
    },
  },
  list_sessions: {
    readers: AGENTS,
    shape: (query) => ({ ...query, ...pick(random, sessionRanges()) }),
    ask: (query, as) => allPages((cursor) => tool('list_sessions')({ ...query, ...cursor }, as)),
    refusal: ofOther,
    check: checkSessions,
  },
};

const KINDS: Record<string, Kind> = {
  'get /api/v1/usage': usageKind('/api/v1/usage'),
  'get /api/v1/org/{orgId}/usage': usageKind('/api/v1/org/{orgId}/usage', `/api/v1/org/${host.orgId}/usage`),
  'get /api/v1/usage/changes': changes,
  'get /api/v1/sessions': sessions,
  ...Object.fromEntries(
    valuesOf(EXPORT, 'level').map((level) => [`get ${EXPORT} ${level}`, exportKind(level)]),
  ),
  'get /api/v1/branches': branches,
  'get /api/v1/pull-requests': pullRequests,
  'get /api/v1/pull-requests/summary': summary,
};

/** Its document says that it answers as another does, but by team too. */
const isTold = new Set(['get /api/v1/org/{orgId}/usage']);

interface Question {
  kind: string;
  as: As;
  query: Record<string, string>;
}

let facts: Facts;
beforeAll(async () => {
  facts = await readAll();
});

/** A question of these parameters, mostly with values that some call has. */
function madeUp(kind: string, { shape }: Kind, parameters: readonly string[], as: As): Question {
  const like = pick(random, facts.sessions);
  const call = pick(random, like.calls);
  const query: Record<string, string> = {};
  for (const parameter of parameters) {
    const [name = '', by] = parameter.split(':');
    const own = PULL_FILTERS[name] && kind.includes('pull-requests') ? PULL_FILTERS[name].values : undefined;
    const { values = [], of } = FILTERS[name] ?? {};
    if (name === 'range') Object.assign(query, PULL_RANGES[Number(by)]);
    else if (by) query[name] = query[name] ? `${query[name]},${by}` : by;
    else
      query[name] = own
        ? pick(random, own)
        : (random() < 0.8 && of?.(call, like, facts)) || pick(random, values);
  }
  return { kind, as, query: shape(query) };
}

/** The fault of an answer; null where it is right. */
async function faultIn({ kind, as, query }: Question): Promise<{ isWrong: boolean; text: string } | null> {
  const { ask, check, refusal } = KINDS[kind] as Kind;
  const { status, body } = await ask(query, as);
  const meant = refusal?.(query, as) ?? 200;
  if (status !== meant) return { isWrong: false, text: `${status}, not ${meant}: ${JSON.stringify(body)}` };
  if (status !== 200) return null;
  try {
    check(body, query, visibleTo(facts, OWN[as]));
    return null;
  } catch (error) {
    return { isWrong: true, text: error instanceof Error ? error.message : String(error) };
  }
}

/** The question without all that it fails without. */
async function smallest(question: Question): Promise<Question> {
  for (const name of Object.keys(question.query)) {
    const { [name]: _left, ...query } = question.query;
    const smaller = { ...question, query };
    const isRange = /^(before_|calls_)?(from|to)$/.test(name);
    if (!isRange && !name.match(/^(level|format)$/) && (await faultIn(smaller).catch(() => null))?.isWrong)
      return smallest(smaller);
  }
  return question;
}

async function expectRight(question: Question, state: string): Promise<void> {
  const fault = await faultIn(question);
  if (!fault) return;
  const small = fault.isWrong ? await smallest(question) : question;
  const { text } = (await faultIn(small)) ?? fault;
  const path = `${small.kind}?${new URLSearchParams(small.query).toString()}`;
  throw new Error(`LAW_SEED=${SEED}, with ${state}, for ${small.as}: ${path}\n${text}`);
}

const pairsOf = (names: readonly string[]) =>
  names.flatMap((name, at) => [[name], ...names.slice(at + 1).map((other) => [name, other])]);

/** Parameters that are no filter: the law shapes questions by them, or they say how an answer is written. */
const SHAPES = [
  'from',
  'to',
  'before_from',
  'calls_from',
  'calls_to',
  'before_to',
  'timezone',
  'interval',
  'group_by',
  'series',
  'top',
  'sort',
  'order',
  'limit',
  'cursor',
];
const WRITTEN = ['format', 'level', 'people', 'focus_version', 'granularity', 'billed'];

/** The tools that ask about calls, as a client lists them. */
async function listTools(): Promise<Record<string, string[]>> {
  const { body } = await host.api.call('/mcp', {
    key: keys.admin,
    headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  });
  const asking = body.result.tools.filter(
    ({ inputSchema }: Body) => 'project_id' in inputSchema.properties && 'from' in inputSchema.properties,
  );
  return Object.fromEntries(
    asking.map(({ name, inputSchema: { properties } }: Body) => [
      name,
      [...Object.keys(properties), ...groupBy(properties.group_by?.items.enum ?? [])],
    ]),
  );
}
const listed = await listTools();
for (const [name, { ...row }] of Object.entries(TOOLS))
  KINDS[`tool ${name}`] = { ...row, parameters: (listed[name] ?? []).filter((one) => !SHAPES.includes(one)) };

test('every route and tool that filters calls, and every parameter of it, has a row here', () => {
  const asking = reads.filter((route) =>
    queryOf(route).some(({ name }) => ['project_id', 'model', 'repository'].includes(name)),
  );
  // Its answer says nothing of calls.
  const known = new Set([
    ...Object.keys(KINDS).map((name) => name.split(' ').slice(0, 2).join(' ')),
    `get ${EXPORT}/metadata`,
  ]);
  expect(asking.map(nameOf).filter((name) => !known.has(name))).toEqual([]);
  expect(Object.keys(listed).toSorted()).toEqual(Object.keys(TOOLS).toSorted());
  const names = [
    ...new Set([
      ...asking.flatMap((route) => queryOf(route).map(({ name }) => name)),
      ...Object.values(listed).flat(),
    ]),
  ];
  const rows = new Set([...Object.keys(FILTERS), ...Object.keys(PULL_FILTERS), ...SHAPES, ...WRITTEN]);
  expect(names.filter((name) => !rows.has(name) && !name.startsWith('group_by:'))).toEqual([]);
  expect(valuesOf(EXPORT, 'level').toSorted()).toEqual(Object.keys(LEVELS).toSorted());
  expect(valuesOf(SESSIONS, 'sort').toSorted()).toEqual(Object.keys(SORTS).toSorted());
});

test.each(Object.keys(states))(
  'every filter and grouping, alone and in pairs, counts as a scan does with %s',
  async (state) => {
    await states[state]?.();
    facts = await readAll();
    for (const [name, kind] of Object.entries(KINDS)) {
      const { parameters, readers } = kind;
      for (const asked of [[], ...pairsOf(parameters)]) {
        const isPair = asked.length === 2;
        if (isPair && asked.every((one) => one.startsWith('range:'))) continue;
        if (isPair && isTold.has(name) && !asked.includes('group_by:team')) continue;
        if (isPair && state === 'stale snapshots' && random() < 0.6) continue;
        for (const as of !isPair && state === 'rollups' ? readers : [pick(random, readers)])
          await expectRight(madeUp(name, kind, asked, as), state);
      }
    }
  },
);
