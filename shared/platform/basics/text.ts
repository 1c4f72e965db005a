import { z } from 'zod';

/** Text whose bytes stay as they came, without NUL and lone surrogates. */
export const exactText = z
  .string()
  .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be well-formed text without NUL');

/**
 * Free text from outside: 1..`max` code points, stored in NFC. `documentedAs` is what the OpenAPI document says instead of
 * what zod would: it counts code points, zod UTF-16 units.
 */
export function text(max: number) {
  return textOrEmpty(max)
    .refine((value) => value.length > 0, 'must not be empty')
    .meta({ documentedAs: { type: 'string', minLength: 1, maxLength: max } });
}

/** Line breaks and other controls, and those that turn the direction of what follows. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** A name that people read, in pages, mails and messages: `text` of one line that reads in one direction. */
export function nameText(max: number) {
  return text(max).refine((name) => !CONTROLS.test(name), 'must not hold line breaks or control characters');
}

/** Free text from outside: 0..`max` code points, stored in NFC. */
export function textOrEmpty(max: number) {
  return exactText
    .max(max * 4)
    .transform((value) => value.normalize('NFC'))
    .refine(
      (value) => value.length <= max || Array.from(value).length <= max,
      `must be at most ${max} characters`,
    )
    .meta({ documentedAs: { type: 'string', maxLength: max } });
}

/** The refinement of a change that it says something at all: a field that is absent or undefined stays as it is. */
export const SOME_CHANGE = [
  (change: object) => Object.values(change).some((value) => value !== undefined),
  'must change something',
] as const;

/** An IANA timezone that this runtime knows, in the case of its name: `utc` is no other one than `UTC`. */
export const timezone = text(64)
  .refine(isTimezone, { message: 'must be an IANA timezone, such as Europe/Berlin', abort: true })
  .check(z.overwrite((name) => Temporal.Now.zonedDateTimeISO(name).timeZoneId));

function isTimezone(name: string): boolean {
  try {
    // Offsets such as +02:00 parse too; a calendar wants a place or UTC.
    return /^[A-Za-z]/.test(name) && Temporal.Now.zonedDateTimeISO(name) !== undefined;
  } catch {
    return false;
  }
}

/** With the days that each month has. */
const DATE = z.regexes.date.source.slice(1, -1);
const TIME_OF_DAY = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?`;
const OFFSET = String.raw`(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)`;

/**
 * A date and a time of ISO 8601 as epoch milliseconds. Seconds and their fraction may be left out, the offset (`Z`,
 * `±hh:mm`, `±hhmm` or `±hh`) not; what is finer than a millisecond is cut off.
 */
export const instant = z
  .string()
  .regex(
    new RegExp(`^${DATE}T${TIME_OF_DAY}${OFFSET}$`),
    'must be an ISO 8601 date and time with Z or an offset',
  )
  .transform(epochMsOf);

/** The same, and UTC where the offset is left out. */
export const instantOrUtc = z
  .string()
  .regex(new RegExp(`^${DATE}T${TIME_OF_DAY}${OFFSET}?$`), 'must be an ISO 8601 date and time')
  .transform(epochMsOf);

/** JavaScript reads one form of offset, and takes a time without one for local. */
function epochMsOf(text: string): number {
  const offset = /([+-]\d\d):?(\d\d)?$/.exec(text);
  if (offset) return Date.parse(`${text.slice(0, offset.index)}${offset[1]}:${offset[2] ?? '00'}`);
  return Date.parse(text.endsWith('Z') ? text : `${text}Z`);
}
