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

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
const shown = ({ sign, period, fromMs, toMs }: Part) => {
  return `${sign ? '-' : '+'} ${period} ${iso(fromMs)} ${iso(toMs)}`;
};

/** A quarter hour of these days before now. */
const quarterWithin = (days: number) =>
  fc.integer({ min: 0, max: days * 96 }).map((quarters) => floorToQuarter(NOW - quarters * 900_000));

type Split = (organization: typeof moved, edges: readonly number[], nowMs?: number) => Part[];
const split: Split = (organization, edges, nowMs = NOW) =>
  splitPartialDays(organization, splitRange(organization, edges), edges, nowMs);

/** How often the rollups of these parts count what happened at a moment, by bucket. */
function timesCounted(
  organization: typeof moved,
  edges: readonly number[],
  parts: readonly Part[],
  atMs: number,
) {
  const starts = periodStarts(organization, atMs);
  const times = new Map<number, number>();
  for (const { period, fromMs, toMs, sign = 1 } of parts) {
    if (starts[period] < fromMs || starts[period] >= toMs) continue;
    const bucket = bucketOf(edges, starts[period]);
    times.set(bucket, (times.get(bucket) ?? 0) + sign);
  }
  return [...times].filter(([, count]) => count !== 0);
}

describe.each<[string, number, Split]>([
  ['splitRange', 100, splitRange],
  ['splitPartialDays', 34, split],
])('%s', (_, days, cut) => {
  it('counts every moment inside once, for its bucket, and none outside, in any timezone, also where it changes', () => {
    const zones = fc.constantFrom(zone('UTC'), zone('Europe/Berlin'), zone('Australia/Lord_Howe'), moved);
    const moments = fc.array(fc.integer({ min: NOW - days * DAY, max: NOW + 40 * DAY }), { minLength: 50 });
    fc.assert(
      fc.property(
        zones,
        zones,
        quarterWithin(days),
        quarterWithin(days),
        fc.constantFrom(...INTERVALS),
        moments,
        (organization, asked, one, other, interval, others) => {
          const [fromMs, toMs] = [Math.min(one, other), Math.max(one, other) + 900_000];
          const edges = bucketEdges(asked.timezones, interval, fromMs, toMs);
          const parts = cut(organization, edges);
          for (const atMs of [fromMs - 1, fromMs, toMs - 1, toMs, ...others]) {
            const isInside = atMs >= fromMs && atMs < toMs;
            const counted = timesCounted(organization, edges, parts, atMs);
            expect(counted, iso(atMs)).toEqual(isInside ? [[bucketOf(edges, atMs), 1]] : []);
          }
        },
      ),
      { numRuns: 250 },
    );
  });
});

describe('splitRange', () => {
  it('takes whole months, then whole days, then quarter hours', () => {
    const edges = [Date.parse('2026-01-30T06:15:00Z'), Date.parse('2026-04-10T12:15:00Z')];
    expect(splitRange(zone('UTC'), edges).map(shown)).toEqual([
      '+ quarter_hour 2026-01-30T06:15 2026-01-31T00:00',
      '+ day 2026-01-31T00:00 2026-02-01T00:00',
      '+ month 2026-02-01T00:00 2026-04-01T00:00',
      '+ day 2026-04-01T00:00 2026-04-10T00:00',
      '+ quarter_hour 2026-04-10T00:00 2026-04-10T12:15',
    ]);
  });
});

describe('splitPartialDays', () => {
  const partsOf = (from: string, to: string, nowMs = NOW) =>
    split(zone('UTC'), [Date.parse(`${from}Z`), Date.parse(`${to}Z`)], nowMs).map(shown);

  it('takes a day less its quarter hours outside where these are the shorter time', () => {
    expect(partsOf('2026-04-08T06:00', '2026-04-10T12:15')).toEqual([
      '+ day 2026-04-08T00:00 2026-04-09T00:00',
      '- quarter_hour 2026-04-08T00:00 2026-04-08T06:00',
      '+ day 2026-04-09T00:00 2026-04-11T00:00',
      '- quarter_hour 2026-04-10T12:15 2026-04-11T00:00',
    ]);
  });

  it.each([
    ['takes quarter hours where they are the shorter time', '2026-04-09T18:00', '2026-04-10T00:00', NOW],
    ['never needs one that is gone', '2026-03-06T12:15', '2026-03-07T00:00', NOW],
    ['nor one of an end that is gone', '2026-03-06T13:00', '2026-03-06T23:45', NOW],
    // By night those that are gone are the shorter time.
    ['nor one by night', '2026-03-06T03:15', '2026-03-07T00:00', Date.parse('2026-04-10T03:07:00Z')],
  ])('%s', (_, from, to, nowMs) => {
    expect(partsOf(from, to, nowMs)).toEqual([`+ quarter_hour ${from} ${to}`]);
  });
});
