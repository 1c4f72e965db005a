import { expect, test } from 'vitest';
import { generateTraffic } from '../../../scripts/demo/traffic.ts';

const UNTIL = Date.UTC(2026, 3, 15, 12);
const DAY_MS = 86_400_000;
const USERS = ['u0', 'u1', 'u2', 'u3', 'u4', 'u5'];
const signals = generateTraffic(USERS, UNTIL, 1);

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
  const perDay = new Map<number, number>();
  for (const signal of signals.filter(({ user_id }) => user_id === 'u1')) {
    const day = Math.floor(Date.parse(signal.ts) / DAY_MS);
    perDay.set(day, (perDay.get(day) ?? 0) + Number(signal.tokens_in ?? 0));
  }
  const spike = perDay.get(yesterday) ?? 0;
  perDay.delete(yesterday);
  expect(spike).toBeGreaterThan(2 * Math.max(...perDay.values()));
});
