import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketEdges,
  bucketOf,
  floorToQuarter,
  INTERVALS,
  periodStarts,
} from '../../../../../shared/core/calls/usage/calendar.ts';
import {
  type Part,
  splitPartialDays,
  splitRange,
} from '../../../../../shared/core/calls/usage/split-range.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-04-10T12:07:00Z');
const zone = (timezone: string) => ({ timezones: [{ from: new Date(0), timezone }] });
const moved = {
  timezones: [
    { from: new Date(0), timezone: 'America/New_York' },
    { from: new Date('2026-03-20T04:00:00Z'), timezone: 'Asia/Kathmandu' },
  ],
};

/** How often the rollups of the parts count what happened at a moment. */
function timesCounted(
  organization: Parameters<typeof splitRange>[0],
  parts: readonly Part[],
  atMs: number,
): number {
  const starts = periodStarts(organization, atMs);
  return parts
    .filter(({ period, fromMs, toMs }) => starts[period] >= fromMs && starts[period] < toMs)
    .reduce((times, { sign }) => times + (sign ?? 1), 0);
}

describe('splitRange', () => {
  it('counts every moment inside once and none outside, in any timezone, also where it changes', () => {
    const moment = fc.integer({ min: 0, max: 100 * 96 }).map((quarters) => NOW - quarters * 900_000);
    fc.assert(
      fc.property(
        fc.constantFrom(zone('UTC'), zone('Europe/Berlin'), zone('Australia/Lord_Howe'), moved),
        moment,
        moment,
        fc.constantFrom(...INTERVALS),
        fc.array(fc.integer({ min: NOW - 100 * DAY, max: NOW + 40 * DAY }), { minLength: 50, maxLength: 50 }),
        (organization, one, other, interval, moments) => {
          const fromMs = floorToQuarter(Math.min(one, other));
          const toMs = floorToQuarter(Math.max(one, other)) + 900_000;
          const edges = bucketEdges(organization.timezones, interval, fromMs, toMs);
          const parts = splitRange(organization, edges);
          for (const atMs of [fromMs - 1, fromMs, toMs - 1, toMs, ...moments]) {
            const inside = atMs >= fromMs && atMs < toMs;
            expect(timesCounted(organization, parts, atMs), new Date(atMs).toISOString()).toBe(
              inside ? 1 : 0,
            );
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('takes whole months, then whole days, then quarter hours', () => {
    const parts = splitRange(zone('UTC'), [
      Date.parse('2026-01-30T06:15:00Z'),
      Date.parse('2026-04-10T12:15:00Z'),
    ]);
    const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
    expect(parts.map(({ period, fromMs, toMs }) => [period, iso(fromMs), iso(toMs)])).toEqual([
      ['quarter_hour', '2026-01-30T06:15', '2026-01-31T00:00'],
      ['day', '2026-01-31T00:00', '2026-02-01T00:00'],
      ['month', '2026-02-01T00:00', '2026-04-01T00:00'],
      ['day', '2026-04-01T00:00', '2026-04-10T00:00'],
      ['quarter_hour', '2026-04-10T00:00', '2026-04-10T12:15'],
    ]);
  });
});

describe('splitPartialDays', () => {
  const split = (organization: Parameters<typeof splitRange>[0], edges: readonly number[], nowMs: number) =>
    splitPartialDays(organization, splitRange(organization, edges), edges, nowMs);
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
  const partsOf = (from: string, toMs: number) =>
    split(zone('UTC'), [Date.parse(from), toMs], NOW).map(
      ({ period, fromMs, toMs: end, sign }) => [sign ?? 1, period, iso(fromMs), iso(end)] as const,
    );

  it('takes a day less its quarter hours outside where these are the shorter time', () => {
    expect(partsOf('2026-04-08T06:00:00Z', NOW + 480_000)).toEqual([
      [1, 'day', '2026-04-08T00:00', '2026-04-09T00:00'],
      [-1, 'quarter_hour', '2026-04-08T00:00', '2026-04-08T06:00'],
      [1, 'day', '2026-04-09T00:00', '2026-04-11T00:00'],
      [-1, 'quarter_hour', '2026-04-10T12:15', '2026-04-11T00:00'],
    ]);
    expect(partsOf('2026-04-09T18:00:00Z', Date.parse('2026-04-10T00:00:00Z'))).toEqual([
      [1, 'quarter_hour', '2026-04-09T18:00', '2026-04-10T00:00'],
    ]);
  });

  it('never needs a quarter hour that is gone', () => {
    expect(partsOf('2026-03-06T12:15:00Z', Date.parse('2026-03-07T00:00:00Z'))).toEqual([
      [1, 'quarter_hour', '2026-03-06T12:15', '2026-03-07T00:00'],
    ]);
    expect(partsOf('2026-03-06T13:00:00Z', Date.parse('2026-03-06T23:45:00Z'))[0]?.[0]).toBe(1);
    // By night those that are gone are the shorter time.
    const [fromMs, toMs, nightMs] = ['2026-03-06T03:15', '2026-03-07T00:00', '2026-04-10T03:07'].map((text) =>
      Date.parse(`${text}:00Z`),
    ) as [number, number, number];
    expect(split(zone('UTC'), [fromMs, toMs], nightMs)).toEqual([{ period: 'quarter_hour', fromMs, toMs }]);
  });

  it('counts every moment for its bucket, however the range is cut', () => {
    const moment = fc.integer({ min: 0, max: 34 * 96 }).map((quarters) => NOW - quarters * 900_000);
    fc.assert(
      fc.property(
        fc.constantFrom(zone('UTC'), zone('Australia/Lord_Howe'), moved),
        fc.constantFrom(zone('UTC'), zone('Europe/Berlin'), moved),
        moment,
        moment,
        fc.constantFrom(...INTERVALS),
        fc.array(fc.integer({ min: NOW - 36 * DAY, max: NOW + DAY }), { minLength: 30, maxLength: 30 }),
        (organization, asked, one, other, interval, moments) => {
          const fromMs = floorToQuarter(Math.min(one, other));
          const toMs = floorToQuarter(Math.max(one, other)) + 900_000;
          const edges = bucketEdges(asked.timezones, interval, fromMs, toMs);
          const parts = split(organization, edges, NOW);
          for (const atMs of [fromMs - 1, fromMs, toMs - 1, toMs, ...moments]) {
            const starts = periodStarts(organization, atMs);
            const times = new Map<number, number>();
            for (const { period, fromMs: startMs, toMs: endMs, sign = 1 } of parts) {
              if (starts[period] < startMs || starts[period] >= endMs) continue;
              const bucket = bucketOf(edges, starts[period]);
              times.set(bucket, (times.get(bucket) ?? 0) + sign);
            }
            const counted = [...times].filter(([, count]) => count !== 0);
            const isInside = atMs >= fromMs && atMs < toMs;
            expect(counted, new Date(atMs).toISOString()).toEqual(
              isInside ? [[bucketOf(edges, atMs), 1]] : [],
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
