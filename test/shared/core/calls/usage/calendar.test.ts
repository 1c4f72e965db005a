import { describe, expect, it } from 'vitest';
import {
  bucketEdges,
  earliestCountedMs,
  periodStarts,
  startOfDate,
} from '../../../../../shared/core/calls/usage/calendar.ts';

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

describe('the buckets of a range in which New York becomes Tokyo', () => {
  const QUARTER = 900_000;
  // In New York, of a Monday that is the first of a month.
  const MIDNIGHT = '2026-06-01T04:00Z';
  it.each([
    ['hour', ['2026-06-01T03:00Z', MIDNIGHT, '2026-06-01T05:00Z', '2026-06-01T05:30Z']],
    ['day', ['2026-05-31T04:00Z', MIDNIGHT, '2026-06-01T15:00Z', '2026-06-02T15:00Z', '2026-06-03T00:00Z']],
    ['week', ['2026-05-25T04:00Z', MIDNIGHT, '2026-06-07T15:00Z', '2026-06-14T15:00Z', '2026-06-16T00:00Z']],
    ['month', ['2026-05-01T04:00Z', MIDNIGHT, '2026-06-30T15:00Z', '2026-07-15T00:00Z']],
  ] as const)('begin where a %s begins in the timezone that held until then', (interval, texts) => {
    const edges = texts.map((text) => Date.parse(text));
    const [fromMs = 0, midnight = 0] = edges;
    for (const later of [-QUARTER, 0, QUARTER]) {
      const change = { from: new Date(midnight + later), timezone: 'Asia/Tokyo' };
      // After the change it is no midnight any more, but an hour begins in Tokyo too.
      const isStart = later >= 0 || interval === 'hour';
      expect(
        bucketEdges([NEW_YORK, change], interval, fromMs, edges.at(-1) ?? 0),
        `a change ${later} ms after midnight`,
      ).toEqual(edges.filter((edge) => isStart || edge !== midnight));
    }
  });
});

const zone = (timezone: string) => ({ timezones: [{ from: new Date(0), timezone }] });
const iso = (epochMs: number) => new Date(epochMs).toISOString();

describe('rollup periods', () => {
  it('begin at the quarter hour and at local midnight, also over a DST change', () => {
    const starts = periodStarts(zone('Europe/Berlin'), Date.parse('2026-10-25T14:29:59.999Z'));
    expect(iso(starts.quarter_hour)).toBe('2026-10-25T14:15:00.000Z');
    expect(iso(starts.day)).toBe('2026-10-24T22:00:00.000Z');
    expect(iso(starts.month)).toBe('2026-09-30T22:00:00.000Z');
    expect(iso(periodStarts(zone('Asia/Kathmandu'), Date.parse('2026-01-01T18:20:00Z')).day)).toBe(
      '2026-01-01T18:15:00.000Z',
    );
  });

  it('that a signal may change when it arrives include the day of one that is 35 days old, in every timezone', () => {
    const arrival = Date.parse('2026-11-20T09:30:00Z');
    for (const timezone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const { day } = periodStarts(zone(timezone), arrival - 35 * 86_400_000);
      expect(earliestCountedMs(arrival)).toBeLessThanOrEqual(day);
    }
  });
});
