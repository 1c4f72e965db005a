/** Times of one session, in the organization's timezone. */
interface SessionClock {
  /** 23 Nov 2026, 15:48 */
  minute: (iso: string) => string;
  /** 15:48:20 */
  second: (iso: string) => string;
  /** 23 Nov 2026, 15:48:20.125 */
  millisecond: (iso: string) => string;
}

const known = new Map<string, SessionClock>();

/** The clock of a timezone. Formats are made once: a timeline has thousands of times. */
export function clock(timezone: string): SessionClock {
  const there = known.get(timezone);
  if (there) return there;
  const made = makeClock(timezone);
  known.set(timezone, made);
  return made;
}

function makeClock(timeZone: string): SessionClock {
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const minute = { hour: '2-digit', minute: '2-digit' } as const;
  const second = { ...minute, second: '2-digit' } as const;
  const formatOf = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
    return (iso: string) => format.format(new Date(iso));
  };
  return {
    minute: formatOf({ ...day, ...minute }),
    second: formatOf(second),
    millisecond: formatOf({ ...day, ...second, fractionalSecondDigits: 3 }),
  };
}
