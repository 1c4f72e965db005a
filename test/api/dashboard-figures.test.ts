import { expect, test } from 'vitest';
import { plusDays, rangeOf } from '../../api/dashboard/data/range.ts';
import { ticksOf } from '../../api/dashboard/parts/chart/scale.ts';
import { creditsPerDay } from '../../api/dashboard/parts/credits/pace.ts';
import { axisMoney, dateTime } from '../../api/dashboard/parts/text/format.ts';

test.each([0.0003, 0.0176, 0.02, 0.07, 0.3, 1.1, 9, 30, 700, 24_000, 1_100_000])(
  'an axis up to $%d names every line differently',
  (most) => {
    const names = ticksOf(most).map(axisMoney);
    expect(new Set(names).size).toBe(names.length);
  },
);

test('the pace of credits counts the hours of today too', () => {
  const spends = Array.from({ length: 16 }, () => ({ delta: -1 }));
  const nowMs = Date.UTC(2026, 10, 22, 24);
  expect(creditsPerDay(spends, Date.UTC(2026, 10, 15) / 1_000, nowMs)).toBe(2);
  expect(creditsPerDay([], Date.UTC(2026, 10, 15) / 1_000, nowMs)).toBe(0);
});

test('the month before ends where this one begins, also where it is shorter', () => {
  const of = (iso: string) => rangeOf({ range: 'month' }, 'UTC', Date.parse(iso)).before;
  expect(of('2027-03-31T12:00:00Z')).toEqual({ from: '2027-02-01', to: '2027-03-01' });
  expect(of('2027-03-28T12:00:00Z')).toEqual({ from: '2027-02-01', to: '2027-02-28T12:00:00.000Z' });
  expect(of('2027-01-31T12:00:00Z')).toEqual({ from: '2026-12-01', to: '2026-12-31T12:00:00.000Z' });
});

test('hours are asked for only of days of which they are kept', () => {
  const nowMs = Date.parse('2026-11-23T23:59:00Z');
  const of = (from: string) =>
    rangeOf({ range: 'custom', from, to: plusDays(from, 1) }, 'UTC', nowMs).interval;
  expect([of('2026-11-23'), of('2026-10-20'), of('2026-10-19')]).toEqual(['hour', 'hour', 'day']);
});

test('a time of another year says which', () => {
  const now = new Date(2026, 10, 22, 12).getTime();
  expect(dateTime(now, now)).toBe('22 Nov, 12:00');
  expect(dateTime(new Date(2027, 10, 22, 12).getTime(), now)).toBe('22 Nov 2027, 12:00');
});
