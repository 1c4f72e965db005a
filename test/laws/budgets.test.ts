import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calendarWindowAt } from '../../shared/core/limits/budgets/rules/calendar-windows.ts';
import type { Calendar } from '../../shared/core/limits/budgets/rules/counted.ts';
import { forecast, levelsReached } from '../../shared/core/limits/budgets/rules/evaluate.ts';
import { CALENDAR_WINDOWS } from '../../shared/core/limits/budgets/rules/model.ts';
import { countedWindowAt, NEVER_MS, windowAt } from '../../shared/core/limits/budgets/rules/windows.ts';
import { anyZone } from '../support/calendars.ts';

const HOUR = 3_600_000;
const windows = fc.constantFrom(...CALENDAR_WINDOWS);

/** The date of the clock on the wall. */
function dateAt(timeZone: string, atMs: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(atMs);
}

/** The name of a moment's window on a wall calendar: its date, the Monday of its week, its month. */
function nameOfWindow(window: 'daily' | 'weekly' | 'monthly', timeZone: string, atMs: number): string {
  const date = dateAt(timeZone, atMs);
  if (window === 'daily') return date;
  if (window === 'monthly') return date.slice(0, 7);
  const dayMs = Date.parse(date);
  const sinceMonday = (new Date(dayMs).getUTCDay() + 6) % 7;
  return new Date(dayMs - sinceMonday * 24 * HOUR).toISOString().slice(0, 10);
}

describe('calendar windows', () => {
  test('hold their moment and follow each other without gap or overlap', () => {
    const moments = fc.integer({ min: Date.UTC(2011, 0), max: Date.UTC(2035, 0) });
    fc.assert(
      fc.property(windows, anyZone, moments, (window, zone, atMs) => {
        const interval = calendarWindowAt(window, zone, atMs);
        expect(interval.startMs).toBeLessThanOrEqual(atMs);
        expect(atMs).toBeLessThan(interval.endMs);
        expect(calendarWindowAt(window, zone, interval.startMs)).toEqual(interval);
        expect(calendarWindowAt(window, zone, interval.endMs - 1)).toEqual(interval);
        expect(calendarWindowAt(window, zone, interval.endMs).startMs).toBe(interval.endMs);
        expect(interval.startMs % 900_000).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test('of days, weeks and months hold one date of the clock on the wall, and no more of it is left outside', () => {
    const moments = fc.integer({ min: Date.UTC(2012, 0), max: Date.UTC(2035, 0) });
    fc.assert(
      fc.property(fc.constantFrom('daily', 'weekly', 'monthly'), anyZone, moments, (window, zone, atMs) => {
        const { startMs, endMs } = calendarWindowAt(window, zone, atMs);
        const nameAt = (moment: number) => nameOfWindow(window, zone, moment);
        const name = nameAt(atMs);
        expect([nameAt(startMs), nameAt(endMs - 1)]).toEqual([name, name]);
        expect([nameAt(startMs - 1), nameAt(endMs)]).not.toContain(name);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['daily', 'Europe/Berlin', '2026-03-29T12:00Z', '2026-03-28T23:00Z', 23],
    ['daily', 'Europe/Berlin', '2026-10-25T12:00Z', '2026-10-24T22:00Z', 25],
    ['daily', 'Africa/Cairo', '2026-04-24T12:00Z', '2026-04-23T22:00Z', 23],
    ['hourly', 'Europe/Berlin', '2026-10-25T01:30Z', '2026-10-25T01:00Z', 1],
    ['hourly', 'Asia/Kathmandu', '2026-04-24T11:00Z', '2026-04-24T10:15Z', 1],
    ['hourly', 'Australia/Lord_Howe', '2026-04-04T15:10Z', '2026-04-04T14:00Z', 1.5],
    ['weekly', 'UTC', '2026-11-22T23:59Z', '2026-11-16T00:00Z', 168],
    ['weekly', 'America/New_York', '2026-11-01T12:00Z', '2026-10-26T04:00Z', 169],
    ['monthly', 'UTC', '2028-02-29T12:00Z', '2028-02-01T00:00Z', 29 * 24],
    ['monthly', 'America/New_York', '2026-11-21T12:00Z', '2026-11-01T04:00Z', 721],
  ] as const)('a %s window in %s at %s begins at %s and lasts %d h', (window, zone, at, start, hours) => {
    const startMs = Date.parse(start);
    expect(calendarWindowAt(window, zone, Date.parse(at))).toEqual({
      startMs,
      endMs: startMs + hours * HOUR,
    });
  });
});

// The last day that some zone left out was in 2011.
const moment = fc.integer({ min: Date.UTC(2012, 3), max: Date.UTC(2035, 0) });

function calendar(fields: Partial<Calendar>): Calendar {
  return { window: 'rolling', timezone: 'UTC', ...fields };
}

describe('borders', () => {
  test('of quarters are first moments of every third month from the fiscal one on, without gap or overlap', () => {
    fc.assert(
      fc.property(anyZone, fc.integer({ min: 1, max: 12 }), moment, (timezone, fiscal_start_month, atMs) => {
        const quarterly = calendar({ window: 'quarterly', timezone, fiscal_start_month });
        const { startMs, endMs } = windowAt(quarterly, atMs);
        expect(startMs <= atMs && atMs < endMs).toBe(true);
        expect(windowAt(quarterly, endMs).startMs).toBe(endMs);
        expect(windowAt(quarterly, startMs - 1).endMs).toBe(startMs);
        for (const borderMs of [startMs, endMs]) {
          const [, month, day] = dateAt(timezone, borderMs).split('-').map(Number);
          expect(day).toBe(1);
          expect((Number(month) - fiscal_start_month + 12) % 3).toBe(0);
          expect(dateAt(timezone, borderMs - 1).slice(5, 7)).not.toBe(dateAt(timezone, borderMs).slice(5, 7));
        }
        const months = monthOf(timezone, endMs) - monthOf(timezone, startMs);
        expect(months).toBe(3);
      }),
      { numRuns: 500 },
    );
  });

  test('of a rolling window are midnights, and it holds its days, the present one last', () => {
    fc.assert(
      fc.property(anyZone, fc.integer({ min: 2, max: 31 }), moment, (timezone, rolling_days, atMs) => {
        const rolling = calendar({ timezone, rolling_days });
        const { startMs, endMs } = windowAt(rolling, atMs);
        expect(endMs).toBe(countedWindowAt(rolling, atMs).endMs);
        let days = 0;
        for (let at = startMs; at < endMs; days += 1) at = countedWindowAt(rolling, at).endMs;
        expect(days).toBe(rolling_days);
        expect(countedWindowAt(rolling, startMs).startMs).toBe(startMs);
        // The next one is a day later at both ends.
        const next = windowAt(rolling, endMs);
        expect(next.startMs).toBe(countedWindowAt(rolling, startMs).endMs);
      }),
      { numRuns: 500 },
    );
  });

  test('of a total are the first moment of its date, and none', () => {
    fc.assert(
      fc.property(anyZone, moment, (timezone, atMs) => {
        const starts_on = dateAt(timezone, atMs);
        const total = calendar({ window: 'total', timezone, starts_on });
        const { startMs, endMs } = windowAt(total, atMs);
        expect(endMs).toBe(NEVER_MS);
        expect([dateAt(timezone, startMs), startMs <= atMs]).toEqual([starts_on, true]);
        expect(dateAt(timezone, startMs - 1)).not.toBe(starts_on);
      }),
      { numRuns: 300 },
    );
  });
});

function monthOf(timezone: string, atMs: number): number {
  const [year, month] = dateAt(timezone, atMs).split('-').map(Number);
  return Number(year) * 12 + Number(month);
}

describe('levels', () => {
  test('warning comes at 80 % and not before, exceeded at all of it, and never without a warning', () => {
    expect([79, 80, 99, 100, 130].map((current) => levelsReached(current, 100))).toEqual([
      [],
      ['warning'],
      ['warning'],
      ['warning', 'exceeded'],
      ['warning', 'exceeded'],
    ]);
    // Five times the first is one less than four times the second, and doubles hold neither.
    expect(levelsReached(7_205_759_403_792_791, 9_007_199_254_740_989)).toEqual([]);
    const amounts = fc.integer({ min: 0, max: 1e12 });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 1e12 }), (current, limit) => {
        const expected = BigInt(current) * 5n >= BigInt(limit) * 4n;
        expect(levelsReached(current, limit).includes('warning')).toBe(expected);
        expect(levelsReached(current, limit).includes('exceeded')).toBe(current >= limit);
      }),
    );
  });

  test('a forecast is never less than what there is, and is that at the end', () => {
    const interval = { startMs: 0, endMs: 1_000_000 };
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 0, max: 999_999 }),
        (current, nowMs) => {
          expect(forecast(current, interval, nowMs)).toBeGreaterThanOrEqual(current);
          expect(forecast(current, interval, nowMs)).toBeLessThanOrEqual(21 * current);
          expect(forecast(current, interval, interval.endMs)).toBe(current);
        },
      ),
    );
    expect(forecast(30, interval, 250_000)).toBe(120);
  });
});
