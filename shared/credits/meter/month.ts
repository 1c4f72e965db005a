import type { Interval } from '../../platform/basics/interval.ts';
import type { Anchor } from '../model.ts';

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
