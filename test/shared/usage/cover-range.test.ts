import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floorToQuarter } from '../../../shared/usage/calendar.ts';
import { coverRange } from '../../../shared/usage/cover-range.ts';
import { periodStarts } from '../../../shared/usage/periods.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-04-10T12:07:00Z');
const zone = (timezone: string) => ({ timezones: [{ from: new Date(0), timezone }] });
const moved = {
  timezones: [
    { from: new Date(0), timezone: 'America/New_York' },
    { from: new Date('2026-03-20T04:00:00Z'), timezone: 'Asia/Kathmandu' },
  ],
};

/** How often the rollups of the cover count what happened at a moment. */
function weightOf(
  organization: Parameters<typeof coverRange>[0],
  cover: ReturnType<typeof coverRange>,
  atMs: number,
): number {
  const starts = periodStarts(organization, atMs);
  return cover
    .filter(({ period, fromMs, toMs }) => starts[period] >= fromMs && starts[period] < toMs)
    .reduce((sum, { sign }) => sum + sign, 0);
}

describe('the cover of a range', () => {
  it('counts every moment inside once and none outside, in any timezone, also where it changes', () => {
    const recent = fc.integer({ min: 0, max: 34 * 96 }).map((quarters) => NOW - quarters * 900_000);
    fc.assert(
      fc.property(
        fc.constantFrom(zone('UTC'), zone('Europe/Berlin'), zone('Australia/Lord_Howe'), moved),
        recent,
        recent,
        fc.array(fc.integer({ min: NOW - 100 * DAY, max: NOW + 40 * DAY }), { minLength: 50, maxLength: 50 }),
        (organization, one, other, moments) => {
          const fromMs = floorToQuarter(Math.min(one, other));
          const toMs = floorToQuarter(Math.max(one, other)) + 900_000;
          const cover = coverRange(organization, fromMs, toMs, NOW);
          for (const atMs of [fromMs - 1, fromMs, toMs - 1, toMs, ...moments]) {
            const inside = atMs >= fromMs && atMs < toMs;
            expect(weightOf(organization, cover, atMs), new Date(atMs).toISOString()).toBe(inside ? 1 : 0);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('reads the last 30 days as this month, and the last one less its first days', () => {
    const cover = coverRange(zone('UTC'), Date.parse('2026-03-11T00:00:00Z'), NOW + 480_000, NOW);
    const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
    expect(cover.map(({ period, fromMs, toMs, sign }) => [sign, period, iso(fromMs), iso(toMs)])).toEqual([
      [1, 'month', '2026-03-01T00:00', '2026-04-01T00:00'],
      [-1, 'day', '2026-03-01T00:00', '2026-03-11T00:00'],
      [1, 'month', '2026-04-01T00:00', '2026-05-01T00:00'],
      [-1, 'quarter_hour', '2026-04-10T12:15', '2026-04-11T00:00'],
      [-1, 'day', '2026-04-11T00:00', '2026-05-01T00:00'],
    ]);
  });

  it('never needs a quarter hour that is gone', () => {
    const march = Date.parse('2026-03-01T00:00:00Z');
    const cover = coverRange(zone('UTC'), march, march + 8 * DAY, NOW);
    expect(cover.every(({ period }) => period !== 'quarter_hour')).toBe(true);
  });
});
