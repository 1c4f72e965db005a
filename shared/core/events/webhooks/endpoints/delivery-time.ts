import type { EventType } from '../../../../platform/basics/contract.ts';
import { isChannel, type Webhook } from './model.ts';
import type { Digest, QuietHours } from './settings.ts';

/** Events that neither quiet hours nor a digest delay. */
const URGENT: ReadonlySet<EventType> = new Set(['budget.exceeded', 'credit.depleted']);

/** The time of day at which digests are due: weekly ones on Mondays. */
const DIGEST_HOUR = 8;
const DAYS = 7;

type Timing = Pick<Webhook, 'quiet_hours' | 'digest'> & Partial<Pick<Webhook, 'format'>>;

/**
 * When an event that is raised at `nowMs` is due at a webhook (epoch ms), and whether a digest collects it until then. The anomalies
 * of a channel are collected at once: the digest decides how long they wait for others.
 */
export function deliveryTime(
  type: EventType,
  { format = 'json', quiet_hours, digest }: Timing,
  nowMs: number,
): { dueMs: number; isCollected: boolean } {
  if (URGENT.has(type)) return { dueMs: nowMs, isCollected: false };
  if (digest !== 'none' && type !== 'digest')
    return { dueMs: nextDigest(digest, quiet_hours?.timezone ?? 'UTC', nowMs), isCollected: true };
  const dueMs = quiet_hours ? endOfQuiet(quiet_hours, nowMs) : nowMs;
  return { dueMs, isCollected: type === 'anomaly.detected' && isChannel({ format }) };
}

/** The end of the quiet hours that hold `nowMs`; `nowMs` itself outside them. Epoch ms. */
export function endOfQuiet({ from, to, timezone }: QuietHours, nowMs: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone);
  const time = local.toPlainTime();
  const begin = Temporal.PlainTime.from(from);
  const end = Temporal.PlainTime.from(to);
  const isAfter = (other: Temporal.PlainTime) => Temporal.PlainTime.compare(time, other) >= 0;
  const spansMidnight = Temporal.PlainTime.compare(begin, end) > 0;
  const isQuiet = spansMidnight ? isAfter(begin) || !isAfter(end) : isAfter(begin) && !isAfter(end);
  if (!isQuiet) return nowMs;
  const endsToday = !isAfter(end);
  const day = endsToday ? local.toPlainDate() : local.toPlainDate().add({ days: 1 });
  // Where the clock is put back within them, the end may have passed once already.
  return Math.max(nowMs, day.toZonedDateTime({ timeZone: timezone, plainTime: end }).epochMilliseconds);
}

/** The first digest after `nowMs`, epoch ms. */
function nextDigest(digest: Exclude<Digest, 'none'>, timezone: string, nowMs: number): number {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone).toPlainDate();
  const plainTime = Temporal.PlainTime.from({ hour: DIGEST_HOUR });
  for (let days = 0; days <= DAYS; days += 1) {
    const day = today.add({ days });
    const dueMs = day.toZonedDateTime({ timeZone: timezone, plainTime }).epochMilliseconds;
    if (dueMs > nowMs && (digest === 'daily' || day.dayOfWeek === 1)) return dueMs;
  }
  throw new Error('A week has no digest');
}
