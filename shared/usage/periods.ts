import type { Organization } from '../organizations/model.ts';
import { timezoneAt } from '../organizations/read-organization.ts';
import type { RollupPeriod } from './model.ts';

/** Every UTC offset in use is a multiple of it, so any local period is a whole number of these. */
export const QUARTER_HOUR_MS = 900_000;

const CACHE_LIMIT = 100_000;
const cache = new Map<string, Record<RollupPeriod, number>>();

/**
 * The starts (epoch ms) of the three rollup periods that hold a moment: the quarter hour, and the day and month of
 * the organization's timezone at that moment. A period in which the timezone changed begins at the change.
 */
export function periodStarts(
  organization: Pick<Organization, 'timezones'>,
  epochMs: number,
): Readonly<Record<RollupPeriod, number>> {
  const quarter = epochMs - (((epochMs % QUARTER_HOUR_MS) + QUARTER_HOUR_MS) % QUARTER_HOUR_MS);
  const timezone = timezoneAt(organization, quarter);
  const since =
    organization.timezones.findLast((entry) => entry.from.getTime() <= quarter)?.from.getTime() ?? 0;
  const cacheKey = `${timezone} ${since} ${quarter}`;
  const known = cache.get(cacheKey);
  if (known) return known;
  const local = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO(timezone);
  const starts = {
    quarter_hour: quarter,
    day: Math.max(since, local.startOfDay().epochMilliseconds),
    month: Math.max(since, local.with({ day: 1 }).startOfDay().epochMilliseconds),
  };
  if (cache.size >= CACHE_LIMIT) cache.clear();
  cache.set(cacheKey, starts);
  return starts;
}
