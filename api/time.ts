import { z } from 'zod';

const HAS_OFFSET = /(Z|[+-]\d{2}:?\d{2})$/i;

/** An ISO 8601 time as epoch ms; without an offset it is UTC, as all times are inside. */
export const time = z.iso.datetime({ offset: true, local: true }).transform(epochMsOf);

/** An ISO 8601 time, or a date: the midnight that begins it in a timezone which the caller knows. */
export const timeOrDate = z.union([time, z.iso.date().transform((date) => ({ midnightOf: date }))]);
export type TimeOrDate = z.output<typeof timeOrDate>;

/** Epoch ms of what `timeOrDate` read. */
export function epochMsIn(timezone: string, value: TimeOrDate): number {
  if (typeof value === 'number') return value;
  return Temporal.PlainDate.from(value.midnightOf).toZonedDateTime(timezone).epochMilliseconds;
}

function epochMsOf(value: string): number {
  return Date.parse(HAS_OFFSET.test(value) ? value : `${value}Z`);
}
