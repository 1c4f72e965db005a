import type { Interval } from '../../../../platform/basics/interval.ts';
import type { CalendarWindow } from './model.ts';

const QUARTER_HOUR_MINUTES = 15;

/**
 * The calendar window of a timezone that holds a moment: the hour, the day, the week from Monday, the month. Days are
 * 23 or 25 hours long where the clock changes; the windows of one kind follow each other without gap or overlap. `windowAt`
 * remembers them.
 */
export function calendarWindowAt(window: CalendarWindow, timezone: string, epochMs: number): Interval {
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone);
  const [start, end] = boundsOf(window, local);
  return { startMs: start.epochMilliseconds, endMs: end.epochMilliseconds };
}

function boundsOf(
  window: CalendarWindow,
  local: Temporal.ZonedDateTime,
): [Temporal.ZonedDateTime, Temporal.ZonedDateTime] {
  if (window === 'hourly') {
    const start = startOfHour(local);
    return [start, nextHour(start)];
  }
  const today = local.toPlainDate();
  const first = firstDay(window, today);
  const next = first.add(
    window === 'daily' ? { days: 1 } : window === 'weekly' ? { weeks: 1 } : { months: 1 },
  );
  // A date becomes its first moment, which is not midnight where the clock jumps over midnight.
  return [first.toZonedDateTime(local.timeZoneId), next.toZonedDateTime(local.timeZoneId)];
}

function firstDay(window: 'daily' | 'weekly' | 'monthly', date: Temporal.PlainDate): Temporal.PlainDate {
  if (window === 'daily') return date;
  return window === 'weekly' ? date.subtract({ days: date.dayOfWeek - 1 }) : date.with({ day: 1 });
}

function startOfHour(local: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  return local.round({ smallestUnit: 'hour', roundingMode: 'floor' });
}

/** Where the clock changes by half an hour, an hour of the clock is longer or shorter than sixty minutes. */
function nextHour(start: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  let moment = start;
  do moment = moment.add({ minutes: QUARTER_HOUR_MINUTES });
  while (startOfHour(moment).epochMilliseconds === start.epochMilliseconds);
  return startOfHour(moment);
}
