import { expect, test } from 'vitest';
import { generateTraffic } from '../../../scripts/demo/traffic.ts';
import { type Contribution, suppressWeek } from '../../../shared/wings/analytics/suppress.ts';

const UNTIL = Date.UTC(2026, 3, 15, 12);
const DAY_MS = 86_400_000;
const USERS = Array.from({ length: 14 }, (_, index) => `u${index}`);
const signals = generateTraffic(USERS, UNTIL, 1);
type Traffic = typeof signals;
const sumOf = (of: Traffic, field: string) => of.reduce((sum, signal) => sum + Number(signal[field] ?? 0), 0);

test('is the same for the same seed and another for another', () => {
  expect(generateTraffic(USERS, UNTIL, 1)).toEqual(signals);
  expect(generateTraffic(USERS, UNTIL, 2)).not.toEqual(signals);
});

test('covers thirty days up to now, in time order, under ids of its own', () => {
  const times = signals.map((signal) => Date.parse(signal.ts));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(-1)).toBeGreaterThan(UNTIL - 15 * 60_000);
  expect(times.at(-1)).toBeLessThanOrEqual(UNTIL);
  expect(times[0]).toBeLessThan(UNTIL - 28 * DAY_MS);
  expect(times[0]).toBeGreaterThan(UNTIL - 30.5 * DAY_MS);
  expect(new Set(signals.map((signal) => signal.id)).size).toBe(signals.length);
});

test('has something of everything: users, adapters, models, errors, interventions', () => {
  const kinds = (field: string) => new Set(signals.map((signal) => signal[field])).size;
  expect(kinds('user_id')).toBe(USERS.length);
  expect(kinds('adapter')).toBe(4);
  expect(kinds('model')).toBeGreaterThan(4);
  const rate = (field: string) =>
    signals.filter((signal) => signal[field] !== undefined).length / signals.length;
  expect(rate('error')).toBeGreaterThan(0.01);
  expect(rate('intervention')).toBeGreaterThan(0.01);
});

test('has one user whose yesterday is far above every other day', () => {
  const yesterday = Math.floor(UNTIL / DAY_MS) - 1;
  const own = signals.filter(({ user_id }) => user_id === 'u1');
  const days = Map.groupBy(own, ({ ts }) => Math.floor(Date.parse(ts) / DAY_MS));
  const spike = sumOf(days.get(yesterday) ?? [], 'tokens_in');
  days.delete(yesterday);
  expect(spike).toBeGreaterThan(2 * Math.max(...[...days.values()].map((day) => sumOf(day, 'tokens_in'))));
});

/** The contributions to each value of a field within a week. */
function cellsOf(field: string, week: Traffic) {
  const byValue = Map.groupBy(week, (signal) => JSON.stringify(signal[field] ?? null));
  const contributionsTo = (cell: Traffic): Contribution[] =>
    [...Map.groupBy(cell, ({ user_id }) => user_id)].map(([user, own]) => {
      const tokens = { tokens_in: sumOf(own, 'tokens_in'), tokens_out: sumOf(own, 'tokens_out') };
      return { user, isOther: false, signals: own.length, ...tokens, cost_nusd: 0 };
    });
  return [...byValue].map(([value, cell]) => ({ value, contributions: contributionsTo(cell) }));
}

test.each(['adapter', 'model', 'project_id'])(
  'lets analytics show most weeks by %s, whatever the day',
  (field) => {
    const shown = { cells: 0, hidden: 0 };
    for (let day = 0; day < 7; day += 1) {
      const untilMs = UNTIL + day * DAY_MS;
      const played = generateTraffic(USERS, untilMs, day);
      for (let weeksAgo = 1; weeksAgo <= 3; weeksAgo += 1) {
        // Mondays: 5 January 1970 was one.
        const monday = (Math.floor((untilMs / DAY_MS - 4) / 7) - weeksAgo) * 7 + 4;
        const week = played.filter(({ ts }) => {
          const at = Date.parse(ts) / DAY_MS;
          return at >= monday && at < monday + 7;
        });
        const cells = cellsOf(field, week);
        const { hidden, isTotalHidden } = suppressWeek(cells, 5);
        expect(isTotalHidden).toBe(false);
        shown.cells += cells.length;
        shown.hidden += hidden.size;
      }
    }
    expect(shown.hidden / shown.cells).toBeLessThan(0.2);
  },
);
