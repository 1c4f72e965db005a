import type { Organization } from '../../core/accounts/organizations/model.ts';
import { timezoneAt } from '../../core/accounts/organizations/read-organization.ts';
import { startOfDate } from '../../core/calls/usage/calendar.ts';
import type { MailedDigest } from './preferences/model.ts';

/** The days of which a digest reports, and as many before them to compare. */
export interface DigestPeriod {
  /** One per person, kind and day: the same for every attempt. */
  id: string;
  kind: Exclude<MailedDigest, 'none'>;
  timezone: string;
  firstDay: Temporal.PlainDate;
  lastDay: Temporal.PlainDate;
  /** Epoch ms: `[fromMs, toMs)`, and `[beforeMs, fromMs)` to compare. */
  fromMs: number;
  toMs: number;
  beforeMs: number;
}

const DAYS_OF = { daily: 1, weekly: 7 } as const;

/** The period of a digest that is sent at `atMs`: the day before, or the last week from Monday to Sunday. */
export function periodOf(organization: Organization, kind: DigestPeriod['kind'], atMs: number): DigestPeriod {
  const zones = organization.timezones;
  const timezone = timezoneAt(organization, atMs);
  const today = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone).toPlainDate();
  const end = kind === 'daily' ? today : today.subtract({ days: today.dayOfWeek - 1 });
  const days = DAYS_OF[kind];
  const firstDay = end.subtract({ days });
  return {
    id: `${kind} ${end.toString()}`,
    kind,
    timezone,
    firstDay,
    lastDay: end.subtract({ days: 1 }),
    fromMs: startOfDate(zones, firstDay),
    toMs: startOfDate(zones, end),
    beforeMs: startOfDate(zones, end.subtract({ days: 2 * days })),
  };
}
