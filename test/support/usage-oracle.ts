import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import type { Context } from '../../shared/platform/context/context.ts';

/** The sums of usage, added up one by one, without any of the product's code. */
export interface Sums {
  sessions: number;
  signals: number;
  errors: number;
  interventions: number;
  tokens_in: number;
  tokens_out: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  nusd: bigint;
  unpriced_signals: number;
}

/** The work of a call, as the test that posted it knows it. */
export interface Work {
  repository: string | null;
  branch: string | null;
  pull_request: string | null;
  task: string | null;
}

interface Dimensions extends Work {
  at: number;
  user_id: string;
  project_id: string;
  model: string;
  adapter: string;
}

/** A call, or the beginning of a session. */
export interface Fact extends Dimensions {
  sums: Sums;
}

export interface Run extends Fact {
  id: string;
  state: string;
  isAnomalous: boolean;
  /** The calls of it that count. */
  calls: Fact[];
  /** The same, summed up. */
  own: Sums;
  lastMs: number;
}

export interface Facts {
  calls: Fact[];
  sessions: Run[];
  /** The teams of each member. */
  teams: ReadonlyMap<string, readonly string[]>;
}

export const NO_WORK: Work = { repository: null, branch: null, pull_request: null, task: null };

const NOTHING: Sums = {
  sessions: 0,
  signals: 0,
  errors: 0,
  interventions: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  nusd: 0n,
  unpriced_signals: 0,
};

export function added(rows: readonly Sums[]): Sums {
  const total = { ...NOTHING };
  for (const row of rows)
    for (const name of Object.keys(NOTHING) as (keyof Sums)[])
      if (name === 'nusd') total.nusd += row.nusd;
      else total[name] += row[name];
  return total;
}

export const sumOf = (facts: readonly Fact[]): Sums => added(facts.map(({ sums }) => sums));

/** US dollars with four decimals, a half to the even neighbour. */
export function usd(nusd: bigint): number {
  const [whole, rest] = [nusd / 100_000n, nusd % 100_000n];
  const isUp = rest > 50_000n || (rest === 50_000n && whole % 2n === 1n);
  return Number(isUp ? whole + 1n : whole) / 10_000;
}

/** Sums as the API shows them. */
export function shown({ nusd, ...counts }: Sums) {
  return { ...counts, cost_usd: usd(nusd) };
}

/** Every signal and session of an organization, read one by one. A voided signal leaves a session its bounds. */
export async function readFacts(
  ctx: Context,
  orgId: string,
  { workOf, teams }: { workOf: (id: string, at: number) => Work; teams: Facts['teams'] },
): Promise<Facts> {
  const rows = await signalRows(ctx).find({ org_id: orgId }).sort({ ts: 1, _id: 1 }).toArray();
  const states = new Map(
    (await sessionRows(ctx).find({ org_id: orgId }).toArray()).map((row) => [row._id, row]),
  );
  const factOf = (row: (typeof rows)[number]): Fact => ({
    at: row.ts.getTime(),
    user_id: row.user_id,
    project_id: row.project_id,
    model: row.model ?? 'unknown',
    adapter: row.adapter,
    ...workOf(row.id, row.ts.getTime()),
    sums: {
      ...NOTHING,
      signals: 1,
      errors: row.error ? 1 : 0,
      interventions: row.type === 'intervention' ? 1 : 0,
      tokens_in: row.tokens_in,
      tokens_out: row.tokens_out,
      cache_read_tokens: row.cache_read_tokens,
      cache_write_tokens: row.cache_write_tokens,
      nusd: BigInt(row.cost_nusd ?? 0),
      unpriced_signals: row.cost_nusd === null ? 1 : 0,
    },
  });
  const sessions = [...Map.groupBy(rows, ({ session_id }) => session_id)].flatMap(([id, all]): Run[] => {
    const calls = all.filter(({ voided }) => !voided).map(factOf);
    const [first, last, state] = [all[0], all.at(-1), states.get(id)];
    if (!first || !last || calls.length === 0) return [];
    const { user_id, project_id, adapter } = first;
    return [
      {
        id,
        at: first.ts.getTime(),
        lastMs: last.ts.getTime(),
        user_id,
        project_id,
        adapter,
        model: mainModel(calls),
        ...NO_WORK,
        sums: { ...NOTHING, sessions: 1 },
        state: state?.state ?? '',
        isAnomalous: (state?.anomaly_types?.length ?? 0) > 0,
        calls,
        own: sumOf(calls),
      },
    ];
  });
  return { calls: sessions.flatMap(({ calls }) => calls), sessions, teams };
}

/** The model with most tokens, of equals the one that was used first. */
function mainModel(calls: readonly Fact[]): string {
  const tokens = new Map<string, number>();
  for (const { model, sums } of calls)
    if (model !== 'unknown') tokens.set(model, (tokens.get(model) ?? 0) + sums.tokens_in + sums.tokens_out);
  const most = Math.max(...tokens.values());
  return [...tokens].find(([, count]) => count === most)?.[0] ?? 'unknown';
}

/** A filter: values that it may have, the one of a call and its session, and the rows that meet it. */
interface Filter {
  values: readonly string[];
  of: (call: Fact, session: Run, facts: Facts) => string | null | undefined;
  meets: (row: Fact, value: string, facts: Facts) => boolean;
  /** `work`: it asks for calls alone. `session`: it asks for sessions alone. */
  kind: 'both' | 'work' | 'session';
}

const equal = (name: 'user_id' | 'project_id' | 'model' | 'adapter', ...values: string[]): Filter => ({
  values,
  of: (call) => call[name],
  meets: (row, value) => row[name] === value,
  kind: 'both',
});
const ofWork = (name: keyof Work, ...values: string[]): Filter => ({
  values,
  of: (call) => call[name],
  meets: (row, value) => row[name] === value,
  kind: 'work',
});
const ofSession = (read: (session: Run) => string, ...values: string[]): Filter => ({
  values,
  of: (_call, session) => read(session),
  meets: (row, value) => read(row as Run) === value,
  kind: 'session',
});

export const USERS = ['ada', 'bob', 'cyd'] as const;
export const TEAMS: Facts['teams'] = new Map([
  ['ada', ['red', 'blue']],
  ['bob', ['blue']],
]);
export const SHOP = 'github.com/acme/shop';
export const LAB = 'github.com/acme/lab';

/** The filters of questions about usage and sessions, by the names of their parameters. */
export const FILTERS: Readonly<Record<string, Filter>> = {
  user_id: equal('user_id', ...USERS, 'nobody'),
  project_id: equal('project_id', 'alpha', 'beta'),
  model: equal('model', 'gpt-5', 'unheard-of'),
  adapter: equal('adapter', 'codex', 'claude-code'),
  repository: ofWork('repository', SHOP, LAB),
  branch: ofWork('branch', 'cart', 'main', 'none'),
  pull_request: ofWork('pull_request', `${SHOP}#1`, `${SHOP}#2`, `${SHOP}#99`),
  task: ofWork('task', 'T-1', 'T-2'),
  team: {
    values: ['red', 'blue', 'nobodies'],
    of: ({ user_id }, _session, { teams }) => teams.get(user_id)?.[0],
    meets: ({ user_id }, value, { teams }) => teams.get(user_id)?.includes(value) === true,
    kind: 'both',
  },
  errors: ofSession(({ own }) => String(own.errors > 0), 'true', 'false'),
  anomalous: ofSession(({ isAnomalous }) => String(isAnomalous), 'true', 'false'),
  state: ofSession(({ state }) => state, 'open', 'ended'),
  min_cost_usd: {
    values: ['0', '0.01', '1000'],
    of: (_call, { own }) => (Number(own.nusd) / 1e9).toFixed(9),
    meets: (row, value) => (row as Run).own.nusd >= BigInt(Math.round(Number(value) * 1e9)),
    kind: 'session',
  },
};

export type Query = Readonly<Record<string, string>>;

const asked = (query: Query, kinds: readonly Filter['kind'][]) =>
  Object.entries(query).flatMap(([name, value]) => {
    const filter = FILTERS[name];
    return filter && kinds.includes(filter.kind) ? [{ filter, value }] : [];
  });

/** The facts that one user may see; all for a reader of none. */
export function visibleTo(facts: Facts, user: string | null): Facts {
  if (user === null) return facts;
  const isOwn = (row: Fact) => row.user_id === user;
  return { ...facts, calls: facts.calls.filter(isOwn), sessions: facts.sessions.filter(isOwn) };
}

/** The facts that a question about usage is about: a session belongs to no work. */
export function factsOf(facts: Facts, query: Query, [fromMs, toMs]: readonly [number, number]): Fact[] {
  const filters = asked(query, ['both', 'work']);
  const isMeant = (row: Fact) =>
    row.at >= fromMs &&
    row.at < toMs &&
    filters.every(({ filter, value }) => filter.meets(row, value, facts));
  return [...facts.calls, ...facts.sessions].filter(isMeant);
}

/** The sessions that a question is about: with a filter by work those that have a call of it. */
export function sessionsOf(facts: Facts, query: Query, [fromMs, toMs]: readonly [number, number]): Run[] {
  const [filters, works] = [asked(query, ['both', 'session']), asked(query, ['work'])];
  return facts.sessions.filter(
    (session) =>
      session.at >= fromMs &&
      session.at < toMs &&
      filters.every(({ filter, value }) => filter.meets(session, value, facts)) &&
      (works.length === 0 ||
        session.calls.some((call) => works.every(({ filter, value }) => filter.meets(call, value, facts)))),
  );
}

/** The facts by the values of these groupings. A member of several teams counts in each. */
export function grouped(facts: Facts, rows: readonly Fact[], by: readonly string[]): Map<string, Fact[]> {
  const groups = new Map<string, Fact[]>();
  for (const row of rows) {
    const teams = by.includes('team') ? (facts.teams.get(row.user_id) ?? []) : [];
    for (const team of teams.length === 0 ? [null] : teams) {
      const key = by.map((name) => [name, name === 'team' ? team : Reflect.get(row, name)]);
      const id = JSON.stringify(Object.fromEntries(key));
      groups.set(id, [...(groups.get(id) ?? []), row]);
    }
  }
  return groups;
}
