import { expect, test } from 'vitest';
import { endOfRotated } from '../../packages/dashboard/parts/access/grace.ts';
import { forecastWords } from '../../packages/dashboard/parts/budget/words.ts';
import { statusWords } from '../../packages/dashboard/parts/webhook/words.ts';
import { decidedWords } from '../../packages/dashboard/wings/held/decided-words.ts';
import { lastDaysWords } from '../../packages/dashboard/wings/prices/parts/words.ts';
import { costOf } from '../../packages/dashboard/wings/push/parts/words.ts';
import { standingOf } from '../../packages/dashboard/wings/raises/standing.ts';
import { refusesWords } from '../../packages/dashboard/words/refuses.ts';
import { CAUSES } from '../../shared/core/limits/enforcement/check/judge.ts';
import { SUMMED } from '../../shared/wings/push/destinations/runs/partition-table.ts';

test.each([
  ['below the threshold', 9.99, 10, 'On track:'],
  ['that reaches the threshold', 10, 10, 'At this pace it will be exceeded:'],
  ['above it', 12, 10, 'At this pace it will be exceeded:'],
  ['that a raise covers', 12, 18, 'On track:'],
  ['that is more than is raised', 18.5, 18, 'At this pace it will be exceeded:'],
])('a forecast %s is told by the threshold that decides now', (_, forecast, threshold_now, words) => {
  const of = { metric: 'cost_usd', state: 'ok', window_end: '2026-12-01T00:00:00.000Z' } as const;
  const budget = { ...of, forecast, threshold_now, threshold: 10 };
  const amount = `$${forecast.toFixed(2)}`;
  expect(forecastWords(budget)).toBe(`${words} ${amount} by the window’s end.`);
  const ends = `Exceeded. At this pace it ends at ${amount}.`;
  expect(forecastWords({ ...budget, state: 'exceeded' })).toBe(ends);
  expect(forecastWords({ ...budget, window_end: null })).toBeNull();
});

test.each(CAUSES)('a refusal because of `%s` says until when only where the next window helps', (cause) => {
  const refusal = { id: 'bdg_1', name: 'Shop', cause, resets_at: '2026-11-30T23:00:00.000Z' };
  const until = cause === 'spent' ? / until 1 Dec(?: 2026)?, 00:00 Europe\/Berlin$/ : / your calls$/;
  const words = (changed = {}) => refusesWords({ ...refusal, ...changed }, 'Europe/Berlin');
  expect(words()).toMatch(/^The budget “Shop” refuses your calls/);
  expect(words()).toMatch(until);
  expect(words({ name: null })).toMatch(/^A budget of your organization refuses your calls/);
  expect(words({ name: null })).toMatch(until);
  expect(words({ resets_at: null })).toMatch(/ your calls$/);
});

test('a raise changes the amounts of the person alone in a template, else those of everybody', () => {
  // The amounts of a template are those of whoever is furthest, who has a raise.
  const amounts = { threshold: 10, current: 17, threshold_now: 18 };
  const of = (per: null | 'user', ...people: Parameters<typeof standingOf>[1]) =>
    standingOf({ ...amounts, per }, people);
  expect(of(null)).toMatchObject({ current: 17, threshold_now: 18 });
  for (const person of [
    { current: 4, threshold_now: 12 },
    { current: 0, threshold_now: null },
  ])
    expect(of('user', person)).toEqual(person);
  expect(of('user'), 'before the first call').toEqual({ current: 0, threshold_now: 10 });
});

test.each([
  [null, 'more than a million calls'],
  [{}, 'no call'],
  [{ signals: 1, cost_usd: 4.5, list_cost_usd: 5 }, '1 call, $4.50 (list $5.00)'],
  [{ signals: 118, cost_usd: 10.5, list_cost_usd: 12 }, '118 calls, $10.50 (list $12.00)'],
  [{ signals: 2, cost_usd: 3, unlisted_signals: 2, unlisted_cost_usd: 3 }, '2 calls, $3.00'],
  [
    { signals: 120, cost_usd: 13.5, list_cost_usd: 12, unlisted_signals: 2, unlisted_cost_usd: 3 },
    '120 calls, $10.50 (list $12.00), and $3.00 for 2 without a list price',
  ],
])('a price rule compares with the list only what the list prices: %j', (counted, words) => {
  const nothing = { signals: 0, cost_usd: 0, list_cost_usd: 0, unlisted_signals: 0, unlisted_cost_usd: 0 };
  expect(lastDaysWords(counted && { ...nothing, ...counted })).toBe(words);
});

test.each(Object.entries(SUMMED))('the cost of a day in the table %s is what sums to usage', (_, columns) => {
  const sums = Object.fromEntries(columns.map((column) => [column, '0.000000000']));
  expect(costOf({ sums: { ...sums, [columns.at(-1) ?? '']: '2.500000000' } })).toBe('$2.50');
});

test.each([
  ['release', 'released', 'Released: every figure counts them from now on.'],
  ['release', 'released released', 'Released: every figure counts them from now on.'],
  ['release', 'discarded', 'None is released. 1 was discarded before.'],
  ['release', 'expired', 'None is released. 1 is too old to be recorded.'],
  ['release', 'not_found', 'None is released. 1 was not found.'],
  ['release', 'released discarded released', '2 of 3 are released. 1 was discarded before.'],
  ['release', 'expired released expired', '1 of 3 is released. 2 are too old to be recorded.'],
  [
    'release',
    'not_found expired discarded discarded released not_found',
    '1 of 6 is released. 2 were discarded before. 1 is too old to be recorded. 2 were not found.',
  ],
  ['discard', 'discarded', 'Discarded.'],
  ['discard', 'discarded discarded', 'Discarded.'],
  ['discard', 'released', 'None is discarded. 1 was released before.'],
  ['discard', 'discarded released discarded', '2 of 3 are discarded. 1 was released before.'],
  [
    'discard',
    'not_found expired released released discarded',
    '1 of 5 is discarded. 2 were released before. 1 is too old to be recorded. 1 was not found.',
  ],
] as const)('to %s held calls that end as %s is told by how each ended', (verb, states, words) => {
  const results = states.split(' ').map((status) => ({ status }));
  expect(decidedWords(verb, results as Parameters<typeof decidedWords>[1])).toBe(words);
});

test('the status of a delivery is of HTTP, and that of a mail of SMTP', () => {
  expect(statusWords({ format: 'slack' }, 404)).toBe('HTTP 404');
  expect(statusWords({ format: 'email' }, 250)).toBe('SMTP 250');
});

test('a rotated key ends after a day, or at its own end before that', () => {
  const ended = [null, 10_000, 1_000 + 86_400, 9e9].map((expires_at) =>
    endOfRotated({ expires_at }, 1_000_999),
  );
  expect(ended).toEqual([87_400, 10_000, 87_400, 87_400]);
});
