import { describe, expect, it } from 'vitest';
import { nextDigestMs } from '../../../../../shared/wings/digests/preferences/digest-time.ts';

const inZone = (timezone: string) => ({ timezones: [{ from: new Date(0), timezone }] });
const next = (organization: ReturnType<typeof inZone>, kind: 'daily' | 'weekly', after: string) =>
  new Date(nextDigestMs(organization, kind, Date.parse(after))).toISOString();

describe('a digest', () => {
  it('is due at 8:00 of the organization’s timezone, on Mondays when it is weekly', () => {
    const berlin = inZone('Europe/Berlin');
    expect(next(berlin, 'daily', '2026-11-24T06:59:59.999Z')).toBe('2026-11-24T07:00:00.000Z');
    expect(next(berlin, 'daily', '2026-11-24T07:00:00.000Z')).toBe('2026-11-25T07:00:00.000Z');
    expect(next(berlin, 'weekly', '2026-11-24T00:00:00.000Z')).toBe('2026-11-30T07:00:00.000Z');
    expect(next(inZone('Pacific/Kiritimati'), 'weekly', '2026-11-22T17:59:00.000Z')).toBe(
      '2026-11-22T18:00:00.000Z',
    );
  });

  it('stays at 8:00 where the clocks change', () => {
    const newYork = inZone('America/New_York');
    expect(next(newYork, 'daily', '2026-03-07T14:00:00.000Z')).toBe('2026-03-08T12:00:00.000Z');
    expect(next(newYork, 'daily', '2026-10-31T13:00:00.000Z')).toBe('2026-11-01T13:00:00.000Z');
  });

  it('follows a timezone from the moment at which it holds', () => {
    const moving = {
      timezones: [
        { from: new Date(0), timezone: 'UTC' },
        { from: new Date('2026-11-25T00:00:00.000Z'), timezone: 'Asia/Tokyo' },
      ],
    };
    expect(next(moving, 'daily', '2026-11-24T07:00:00.000Z')).toBe('2026-11-24T08:00:00.000Z');
    // 8:00 of the 25th in Tokyo was before Tokyo's time held.
    expect(next(moving, 'daily', '2026-11-24T08:00:00.000Z')).toBe('2026-11-25T23:00:00.000Z');
  });
});
