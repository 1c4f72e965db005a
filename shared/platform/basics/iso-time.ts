import { z } from 'zod';

/** With the days that each month has. */
const DATE = z.regexes.date.source.slice(1, -1);
const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?`;
const OFFSET = String.raw`(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)`;

/**
 * A date and a time of ISO 8601 as epoch milliseconds. Seconds and their fraction may be left out, the offset (`Z`,
 * `±hh:mm`, `±hhmm` or `±hh`) not; what is finer than a millisecond is cut off.
 */
export const instant = z
  .string()
  .regex(new RegExp(`^${DATE}T${CLOCK}${OFFSET}$`), 'must be an ISO 8601 date and time with Z or an offset')
  .transform(epochMsOf);

/** The same, and UTC where the offset is left out. */
export const instantOrUtc = z
  .string()
  .regex(new RegExp(`^${DATE}T${CLOCK}${OFFSET}?$`), 'must be an ISO 8601 date and time')
  .transform(epochMsOf);

/** JavaScript reads one form of offset, and takes a time without one for local. */
function epochMsOf(text: string): number {
  const offset = /([+-]\d\d):?(\d\d)?$/.exec(text);
  if (offset) return Date.parse(`${text.slice(0, offset.index)}${offset[1]}:${offset[2] ?? '00'}`);
  return Date.parse(text.endsWith('Z') ? text : `${text}Z`);
}
