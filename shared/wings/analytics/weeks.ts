import type { Organization } from '../../core/accounts/organizations/model.ts';
import { bucketEdges, nextStart } from '../../core/calls/usage/calendar.ts';
import { isoTime } from '../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../platform/basics/contract.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import type { Context } from '../../platform/context/context.ts';
import type { Week } from './read-week.ts';

const DEFAULT_WEEKS = 4;
const MOST_WEEKS = 53;
const WEEK_MS = 7 * DAY_MS;

/** How long after its end a week is frozen. */
const FROZEN_AFTER_MS = 24 * 3_600_000;

/**
 * The asked weeks: whole closed ISO weeks of the organization's timezone, by default the last four. Anything else would
 * let two questions differ by less than a week: `invalid_request`.
 */
export function askedWeeks(
  ctx: Context,
  organization: Organization,
  asked: { fromMs?: number | undefined; toMs?: number | undefined },
): Week[] {
  const thisWeekMs = mondayAtOrBefore(organization, ctx.clock.now());
  const toMs = asked.toMs ?? thisWeekMs;
  const fromMs = asked.fromMs ?? weeksBefore(organization, toMs, DEFAULT_WEEKS);
  for (const [name, atMs] of Object.entries({ from: fromMs, to: toMs })) {
    if (mondayAtOrBefore(organization, atMs) !== atMs) {
      throw new DomainError(
        'invalid_request',
        `${name} must be a Monday 00:00 of the organization's timezone, such as ${isoTime(mondayAtOrBefore(organization, atMs))}.`,
      );
    }
  }
  if (fromMs >= toMs) throw new DomainError('invalid_request', 'from must be before to.');
  if (toMs > thisWeekMs) {
    throw new DomainError('invalid_request', `to: only weeks that are over, until ${isoTime(thisWeekMs)}.`);
  }
  const weeks = weeksBetween(organization, fromMs, toMs, MOST_WEEKS);
  if (weeks.length <= MOST_WEEKS) return weeks;
  throw new DomainError('invalid_request', `from and to may lie at most ${MOST_WEEKS} weeks apart.`);
}

/** The weeks that may be frozen: those that ended long enough ago, back to the one that holds `sinceMs`. */
export function freezableWeeks(organization: Organization, sinceMs: number, nowMs: number): Week[] {
  const toMs = mondayAtOrBefore(organization, nowMs - FROZEN_AFTER_MS);
  const fromMs = mondayAtOrBefore(organization, sinceMs);
  return fromMs < toMs ? weeksBetween(organization, fromMs, toMs) : [];
}

/** No signal of an organization is older: it is at most 35 days old when it arrives. Epoch ms. */
export function firstSignalMs(organization: Organization): number {
  return organization.created_at.getTime() - SIGNAL_AGE_MS.behind;
}

function weeksBetween(
  { timezones }: Organization,
  fromMs: number,
  toMs: number,
  mostWeeks = Number.POSITIVE_INFINITY,
): Week[] {
  const edges = bucketEdges(timezones, 'week', fromMs, toMs, mostWeeks);
  return edges.slice(1).map((end, index) => ({ fromMs: edges[index] ?? 0, toMs: end }));
}

/** The start of the ISO week that holds a moment. */
function mondayAtOrBefore({ timezones }: Organization, atMs: number): number {
  // Two weeks back is before the Monday, whatever the offsets do.
  let monday = nextStart(timezones, 'week', atMs - 2 * WEEK_MS);
  for (let next = monday; next <= atMs; next = nextStart(timezones, 'week', next)) monday = next;
  return monday;
}

function weeksBefore(organization: Organization, mondayMs: number, weeks: number): number {
  let monday = mondayMs;
  for (let count = 0; count < weeks; count += 1) monday = mondayAtOrBefore(organization, monday - 1);
  return monday;
}
