import { describe, expect, it } from 'vitest';
import { decideLate } from '../../shared/wings/analytics/decide-late.ts';
import type { UserCell, WeekCells } from '../../shared/wings/analytics/model.ts';
import { type Cell, type Contribution, suppressWeek } from '../../shared/wings/analytics/suppress.ts';
import { pick, seeded } from '../support/random.ts';

/**
 * The attacker knows who was active under which value in each week, and asks every permitted question: each value and
 * the total, for each run of weeks. Every answer is a sum over unknowns, one unknown per (week, value, user). They
 * solve the system, and see whether a single unknown, or one user's sum of a week, comes out, or is bounded to 10 %.
 */

const K = 5;
const MEASURES = ['signals', 'tokens_in', 'tokens_out', 'cost_nusd'] as const;
const TOLERANCE = 1e-9;

interface Population {
  /** By week. For a restated one what was there on time and what came late are two of them. */
  weeks: Cell[][];
}

const person = (user: string, amount: () => number): Contribution => ({
  user,
  isOther: false,
  signals: amount(),
  tokens_in: amount(),
  tokens_out: amount(),
  cost_nusd: amount(),
});

/** A random organization: skewed, sparse, with hermits, giants, and values that nearly all or nearly none use. */
function populate(seed: number): Population {
  const random = seeded(seed);
  const users = 1 + Math.floor(random() * 14);
  const values = 1 + Math.floor(random() * 5);
  const density = pick(random, [0.2, 0.5, 0.8, 1]);
  const skew = pick(random, [0, 1, 3, 8]);
  const size = Array.from({ length: users }, () => Math.exp(random() * skew));
  const exclusive = random() < 0.3;
  const home = Array.from({ length: users }, () => Math.floor(random() * values));
  const weeks = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    Array.from(
      { length: values },
      (_, value): Cell => ({
        value: `v${value}`,
        contributions: size.flatMap((scale, user): Contribution[] => {
          const active = exclusive ? home[user] === value : random() < density;
          if (!active) return [];
          return [person(`u${user}`, () => 1 + Math.floor(random() * 1_000 * scale))];
        }),
      }),
    ).filter((cell) => cell.contributions.length > 0),
  );
  return { weeks };
}

/** One answer of the API: which unknowns it sums. */
type Answer = ReadonlySet<string>;

/** All answers to `from = week i, to = week j, dimension`: cells are the sums of visible cells, as the API makes them. */
function askEverything({ weeks }: Population): Answer[] {
  const suppressions = weeks.map((cells) => suppressWeek(cells, K));
  const answers: Answer[] = [];
  for (let from = 0; from < weeks.length; from += 1) {
    for (let to = from + 1; to <= weeks.length; to += 1) {
      const asked = Array.from({ length: to - from }, (_, index) => from + index);
      const names = new Set(asked.flatMap((week) => (weeks[week] ?? []).map((cell) => cell.value)));
      for (const name of names) {
        const shown = asked.filter((week) => !suppressions[week]?.hidden.has(name));
        answers.push(unknownsOf(weeks, shown, (cell) => cell.value === name));
      }
      const summed = asked.filter((week) => !suppressions[week]?.isTotalHidden);
      answers.push(unknownsOf(weeks, summed, () => true));
    }
  }
  return answers.filter((answer) => answer.size > 0);
}

function unknownsOf(weeks: Cell[][], asked: number[], wanted: (cell: Cell) => boolean): Set<string> {
  const unknowns = new Set<string>();
  for (const week of asked)
    for (const cell of (weeks[week] ?? []).filter(wanted))
      for (const { user } of cell.contributions) unknowns.add(`${week} ${cell.value} ${user}`);
  return unknowns;
}

/** Row-reduces; each row left is an equation that the attacker can derive. */
function reduce(rows: number[][]): number[][] {
  const matrix = rows.map((row) => [...row]);
  const width = matrix[0]?.length ?? 0;
  let lead = 0;
  for (let column = 0; column < width && lead < matrix.length; column += 1) {
    const pivot = matrix.findIndex((row, index) => index >= lead && Math.abs(row[column] ?? 0) > TOLERANCE);
    if (pivot === -1) continue;
    [matrix[lead], matrix[pivot]] = [matrix[pivot] as number[], matrix[lead] as number[]];
    const base = matrix[lead] as number[];
    const factor = base[column] as number;
    for (let at = 0; at < width; at += 1) base[at] = (base[at] as number) / factor;
    for (const [index, row] of matrix.entries()) {
      const by = row[column] as number;
      if (index === lead || Math.abs(by) <= TOLERANCE) continue;
      for (let at = 0; at < width; at += 1) row[at] = (row[at] as number) - by * (base[at] as number);
    }
    lead += 1;
  }
  return matrix.slice(0, lead);
}

/** Returns whether the span of reduced rows holds a vector. */
function spans(reduced: readonly number[][], vector: readonly number[]): boolean {
  const rest = [...vector];
  for (const row of reduced) {
    const lead = row.findIndex((value) => Math.abs(value) > TOLERANCE);
    const by = rest[lead] as number;
    if (Math.abs(by) <= TOLERANCE) continue;
    for (let at = 0; at < rest.length; at += 1) rest[at] = (rest[at] as number) - by * (row[at] as number);
  }
  return rest.every((value) => Math.abs(value) <= 1e-6);
}

/** A user's values, which the attacker is after. */
function targetsOf(unknowns: readonly string[]): number[][] {
  const singles = unknowns.map((_, index) => unknowns.map((__, at) => (at === index ? 1 : 0)));
  const byUserWeek = Map.groupBy(unknowns.keys(), (index) => {
    const [week, , user] = (unknowns[index] ?? '').split(' ');
    return `${week} ${user}`;
  });
  const byUser = Map.groupBy(unknowns.keys(), (index) => (unknowns[index] ?? '').split(' ')[2]);
  const sums = [...byUserWeek.values(), ...byUser.values()].map((indexes) =>
    unknowns.map((_, at) => (indexes.includes(at) ? 1 : 0)),
  );
  return [...singles, ...sums];
}

/** Sums that the attacker derives (rows, differences of two) and that hold only one user, or nearly only one. */
function nearlyOne(
  population: Population,
  unknowns: readonly string[],
  reduced: readonly number[][],
): string[] {
  const found: string[] = [];
  const amount = new Map<string, Contribution>();
  population.weeks.forEach((cells, week) => {
    for (const cell of cells) {
      for (const row of cell.contributions) amount.set(`${week} ${cell.value} ${row.user}`, row);
    }
  });
  const isSum = (row: readonly number[]) => row.every((value) => value > -TOLERANCE);
  const pairs = reduced.flatMap((a) =>
    reduced.map((b) => (a === b ? a : a.map((value, at) => value + (b[at] ?? 0)))),
  );
  for (const row of pairs.filter(isSum)) {
    for (const measure of MEASURES) {
      const byUser = new Map<string, number>();
      unknowns.forEach((unknown, at) => {
        const user = unknown.split(' ')[2] ?? '';
        const part = (row[at] ?? 0) * (amount.get(unknown)?.[measure] ?? 0);
        byUser.set(user, (byUser.get(user) ?? 0) + part);
      });
      const values = [...byUser.values()].sort((a, b) => b - a);
      const total = values.reduce((sum, value) => sum + value, 0);
      const [largest = 0] = values;
      // Everybody else together is less than a tenth: the sum tells the largest user's value to within 10 %.
      if (largest > 0 && total - largest < 0.1 * largest) found.push(`${measure} of ${total}`);
    }
  }
  return found;
}

/** The answers about one week before and after its late part (the second week) restates it; null when it does not. */
function askBeforeAndAfter([onTime = [], late = []]: Cell[][]): Answer[] | null {
  const first = suppressWeek(onTime, K);
  const frozen = { hidden: [...first.hidden], is_total_hidden: first.isTotalHidden, judged_users: 0 };
  const cells = { before: weekCells(onTime), now: weekCells([...onTime, ...late]) };
  const decision = decideLate(frozen, cells, K);
  if (decision.outcome !== 'restate') return null;
  const show = (weeks: Cell[][], asked: number[], { hidden, isTotalHidden }: typeof first): Answer[] => {
    const names = [...cells.now.keys()].filter((name) => !hidden.has(name));
    const shown = names.map((name) => unknownsOf(weeks, asked, (cell) => cell.value === name));
    return isTotalHidden ? shown : [...shown, unknownsOf(weeks, asked, () => true)];
  };
  const answers = [
    ...show([onTime, late], [0], first),
    ...show([onTime, late], [0, 1], decision.suppression),
  ];
  return answers.filter((answer) => answer.size > 0);
}

function weekCells(cells: readonly Cell[]): WeekCells {
  const byValue = Map.groupBy(cells, ({ value }) => value);
  return new Map(
    [...byValue].map(([value, those]) => {
      const users = new Map<string, UserCell>();
      for (const one of those.flatMap(({ contributions }) => contributions)) {
        const known = users.get(one.user);
        if (!known) users.set(one.user, { ...one, sessions: 1, errors: 0 });
        else for (const measure of MEASURES) known[measure] += one[measure];
      }
      return [value, [...users.values()]];
    }),
  );
}

function expectNothingExposed(population: Population, answers: readonly Answer[], seed: number): void {
  const unknowns = [...new Set(answers.flatMap((answer) => [...answer]))];
  const reduced = reduce(answers.map((answer) => unknowns.map((unknown) => (answer.has(unknown) ? 1 : 0))));
  const exposed = targetsOf(unknowns).filter((target) => spans(reduced, target));
  expect(exposed, `seed ${seed}: a user's value is determined`).toEqual([]);
  expect(nearlyOne(population, unknowns, reduced), `seed ${seed}: known to within 10 %`).toEqual([]);
}

describe('an attacker who asks every permitted question', () => {
  it.each(Array.from({ length: 40 }, (_, block) => block))(
    'learns no one user’s value, populations of block %i',
    (block) => {
      for (let index = 0; index < 30; index += 1) {
        const seed = block * 1_000 + index;
        const population = populate(seed);
        expectNothingExposed(population, askEverything(population), seed);
      }
    },
  );

  it('learns no one user’s value from a week before and after it was restated', () => {
    let restated = 0;
    for (let seed = 50_000; seed < 51_500; seed += 1) {
      const weeks = populate(seed).weeks.slice(0, 2);
      const answers = askBeforeAndAfter(weeks);
      if (!answers) continue;
      restated += 1;
      expectNothingExposed({ weeks }, answers, seed);
    }
    expect(restated).toBeGreaterThan(100);
  });

  it('would succeed without complementary suppression: the attack can win', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((user) => person(user, () => 9));
    const answers: Answer[] = [
      new Set(many.map(({ user }) => `0 big ${user}`)),
      new Set([...many.map(({ user }) => `0 big ${user}`), '0 small z']),
    ];
    const unknowns = [...new Set(answers.flatMap((answer) => [...answer]))];
    const reduced = reduce(answers.map((answer) => unknowns.map((unknown) => (answer.has(unknown) ? 1 : 0))));
    expect(targetsOf(unknowns).some((target) => spans(reduced, target))).toBe(true);
    const suppression = suppressWeek(
      [
        { value: 'big', contributions: many },
        { value: 'small', contributions: [person('z', () => 9)] },
      ],
      K,
    );
    expect(suppression.hidden).toEqual(new Set(['big', 'small']));
  });
});
