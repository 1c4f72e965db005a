import type { Interval } from '../../../platform/basics/interval.ts';
import type { Anchor } from '../model.ts';

/** The anchor of an account that is created at a moment. */
export function anchorAt(epochMs: number, timezone: string): Anchor {
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone);
  return { day: local.day, time: local.toPlainTime().toString({ smallestUnit: 'second' }), timezone };
}

/** An anchor as text: `31T14:23:05[Europe/Berlin]`. */
export function encodeAnchor({ day, time, timezone }: Anchor): string {
  return `${day}T${time}[${timezone}]`;
}

/** Reads the text that `encodeAnchor` wrote. */
export function decodeAnchor(text: string): Anchor {
  const [, day, time, timezone] = /^(\d+)T([\d:]+)\[(.+)\]$/.exec(text) ?? [];
  if (!day || !time || !timezone) throw new Error(`Not an anchor: ${text}`);
  return { day: Number(day), time, timezone };
}

/** The month of an account that holds a moment: from its day and time to that of the next calendar month. */
export function monthAt(anchor: Anchor, epochMs: number): Interval {
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(anchor.timezone);
  const thisMonth = Temporal.PlainYearMonth.from({ year: local.year, month: local.month });
  const turn = turnOf(anchor, thisMonth);
  return epochMs >= turn
    ? { startMs: turn, endMs: turnOf(anchor, thisMonth.add({ months: 1 })) }
    : { startMs: turnOf(anchor, thisMonth.subtract({ months: 1 })), endMs: turn };
}

/** A time that a clock change skips is taken an hour later, one that comes twice the first time. */
function turnOf({ day, time, timezone }: Anchor, month: Temporal.PlainYearMonth): number {
  const date = month.toPlainDate({ day: Math.min(day, month.daysInMonth) });
  return date.toZonedDateTime({ timeZone: timezone, plainTime: Temporal.PlainTime.from(time) })
    .epochMilliseconds;
}
