import { describe, expect, it } from 'vitest';
import { startOfDate } from '../../../shared/usage/calendar.ts';

const NEW_YORK = { from: new Date(0), timezone: 'America/New_York' };
const startOf = (zones: Parameters<typeof startOfDate>[0], date: string) =>
  new Date(startOfDate(zones, Temporal.PlainDate.from(date))).toISOString();

describe('the first moment of a date', () => {
  const change = new Date('2026-02-02T05:00:00Z');
  it.each([
    ['Asia/Tokyo', '2026-02-01', '2026-02-01T05:00:00.000Z'],
    // Midnight in Tokyo was before the change: the day began with it.
    ['Asia/Tokyo', '2026-02-02', '2026-02-02T05:00:00.000Z'],
    ['Asia/Tokyo', '2026-02-03', '2026-02-02T15:00:00.000Z'],
    ['America/Los_Angeles', '2026-02-01', '2026-02-01T05:00:00.000Z'],
    ['America/Los_Angeles', '2026-02-02', '2026-02-02T08:00:00.000Z'],
  ])('beside a change of New York to %s, %s is %s', (timezone, date, start) => {
    expect(startOf([NEW_YORK, { from: change, timezone }], date)).toBe(start);
  });

  it('is an hour late where that day has no midnight', () => {
    expect(startOf([{ from: new Date(0), timezone: 'Africa/Cairo' }], '2026-04-24')).toBe(
      '2026-04-23T22:00:00.000Z',
    );
  });
});
