import { type Fact, type Facts, factsOf, grouped, type Query, sumOf } from './usage-oracle.ts';

const SPLITS = [
  'pull_request',
  'branch',
  'task',
  'user_id',
  'project_id',
  'repository',
  'team',
  'model',
  'adapter',
];

interface Costs {
  now: bigint;
  before: bigint;
}

const costOf = (rows: readonly Fact[], fromMs: number, toMs: number) =>
  sumOf(rows.filter(({ at }) => at >= fromMs && at < toMs)).nusd;
const text = (nusd: bigint) => {
  const digits = String(nusd < 0n ? -nusd : nusd).padStart(10, '0');
  return `${nusd < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
};
export const costsOf = ({ now, before }: Costs) => ({
  cost_usd: text(now),
  before_cost_usd: text(before),
  difference_usd: text(now - before),
});

/** The beginnings and the ends of both periods: that of the one before, then that of the range. */
export type Periods = readonly [number, number, number, number];

/** Rows that cost nothing in either period are none. */
const hasCost = ([, { now, before }]: readonly [unknown, Costs]) => now !== 0n || before !== 0n;

/** The costs of both periods and of every value of every split, added up call by call. */
export function changesOf(
  facts: Facts,
  query: Query,
  [beforeMs, beforeEndMs, fromMs, toMs]: Periods,
  hasTeams: boolean,
) {
  const costs = (rows: readonly Fact[]): Costs => ({
    now: costOf(rows, fromMs, toMs),
    before: costOf(rows, beforeMs, beforeEndMs),
  });
  const asked = (calls: Fact[]) => factsOf({ ...facts, calls, sessions: [] }, query, [beforeMs, toMs]);
  const all = asked(facts.calls);
  const bySession = facts.sessions.map(({ id, calls }) => [id, costs(asked(calls))] as const);
  const splits: Record<string, (readonly [string | null, Costs])[]> = {
    session: bySession.filter(hasCost),
  };
  for (const by of SPLITS.filter((name) => hasTeams || name !== 'team'))
    splits[by] = [...grouped(facts, all, [by])]
      .map(([key, rows]) => [JSON.parse(key)[by], costs(rows)] as const)
      .filter(hasCost);
  return { total: costs(all), splits };
}

/** The explanation by its definition, in plain fractions. */
export function explanationOf({ total, splits }: ReturnType<typeof changesOf>) {
  const whole = Number(total.now - total.before);
  if (whole === 0) return null;
  const part = (rows: readonly (readonly [string | null, Costs])[], of: (costs: Costs) => number) =>
    rows.reduce((sum, [, costs]) => sum + of(costs), 0);
  const moved = ({ now, before }: Costs) => Number(now - before) / whole;
  for (const size of [1, 2, 3])
    for (const [by, rows] of Object.entries(splits)) {
      const taken = rows
        .filter(([key, costs]) => key !== null && moved(costs) > 0)
        .toSorted(([a, x], [b, y]) => moved(y) - moved(x) || (String(a) < String(b) ? -1 : 1))
        .slice(0, size);
      const share = part(taken, moved);
      const always =
        total.before === 0n ? 0 : part(taken, ({ before }) => Number(before)) / Number(total.before);
      if (taken.length === size && Math.abs(1 - share) <= 0.5 && share >= 1.5 * always)
        return { by, keys: taken.map(([key]) => key), share };
    }
  return null;
}
