import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant, instantOrUtc, nameText } from '../../../../shared/platform/basics/text.ts';

/** Any moment of these centuries, as somebody may write it. */
const written = fc
  .record({
    epochMs: fc.integer({ min: Date.UTC(1950, 0), max: Date.UTC(2100, 0) }),
    offsetMin: fc.integer({ min: -1_439, max: 1_439 }),
    form: fc.constantFrom('Z', '±hh:mm', '±hhmm', '±hh'),
    seconds: fc.constantFrom('', 'whole', 'fraction'),
    fraction: fc.stringMatching(/^\d{1,9}$/),
  })
  .map(({ epochMs, offsetMin, form, seconds, fraction }) => {
    const clock = new Date(epochMs).toISOString();
    const time = {
      '': clock.slice(0, 16),
      whole: clock.slice(0, 19),
      fraction: clock.slice(0, 20) + fraction,
    };
    return time[seconds as keyof typeof time] + offsetText(offsetMin, form);
  });

function offsetText(minutes: number, form: string): string {
  if (form === 'Z') return 'Z';
  const two = (number: number) => String(Math.trunc(number)).padStart(2, '0');
  const hours = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}`;
  if (form === '±hh') return hours;
  return `${hours}${form === '±hhmm' ? '' : ':'}${two(Math.abs(minutes) % 60)}`;
}

describe('times as ISO 8601 writes them', () => {
  it('mean the moment that Temporal reads, to the millisecond, with and without seconds, in every form of offset', () => {
    fc.assert(
      fc.property(written, (text) => {
        const expected = Temporal.Instant.from(text).epochMilliseconds;
        expect([instant.parse(text), instantOrUtc.parse(text)]).toEqual([expected, expected]);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['2026-11-01T00:00', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01T00:00:07.5', '2026-11-01T00:00:07.500Z'],
  ])('%s is UTC where the offset may be left out, and refused where not', (text, expected) => {
    expect(new Date(instantOrUtc.parse(text)).toISOString()).toBe(expected);
    expect(instant.safeParse(text).success).toBe(false);
  });

  it.each([
    '',
    '2026-11-01',
    '2026-11-01T00Z',
    '2026-11-01T24:00Z',
    '2026-11-01T00:00:60Z',
    '2026-02-30T00:00Z',
    '2026-11-01T00:00+24:00',
    '2026-11-01T00:00+2:00',
    '2026-11-01T00:00:00.Z',
    '2026-11-01 00:00Z',
    '2026-11-01T00:00Z ',
    '2026-11-01T00:00[Europe/Berlin]',
    '1793491200',
    '+002026-11-01T00:00Z',
  ])('%j is no time', (text) => {
    expect(instantOrUtc.safeParse(text).success).toBe(false);
    expect(instant.safeParse(text).success).toBe(false);
  });
});

describe('a name', () => {
  it.each(['Acme', 'Société Générale', '株式会社', '👩‍👩‍👧 team', 'שלום', "O'Neil & Sons"])(
    '%j is one',
    (name) => {
      expect(nameText(64).parse(name)).toBe(name.normalize('NFC'));
    },
  );

  it.each([
    '',
    'two\r\nlines',
    'a\tb',
    'a\u2028b',
    'evil\u202Eexe.live',
    '\u2066x\u2069',
    'a\u200fb',
    'x'.repeat(65),
  ])('%j is none', (name) => expect(nameText(64).safeParse(name).success).toBe(false));
});
