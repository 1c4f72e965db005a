import type { Organization } from '../../../../core/accounts/organizations/model.ts';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { startOfDay } from '../../../../platform/basics/utc-days.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { type ClosedPart, readClosed } from '../../closing/closed-rows.ts';
import { isClosed, monthOf, openMonth } from '../../closing/months.ts';
import { type DestinationLevel, type ExportPartition, exportPartitionRows } from '../model.ts';
import type { Running } from './run.ts';

/**
 * A day of a level as one billing period has it. While that is open: the day now, less what is `closed` of it. Once it is final:
 * the rows that it has closed (`part`; null: none).
 */
export type Target = { level: DestinationLevel; day: string; billingPeriod: string } & (
  | { state: 'open'; closed: readonly ClosedPart[] }
  | { state: 'final'; part: ClosedPart | null }
);

/** A target with the row of what is at the destination. */
export interface KnownTarget {
  target: Target;
  known: ExportPartition | null;
}

export interface ClosedDay {
  day: string;
  closed: readonly ClosedPart[];
}

/** Reads what is closed of the days of a run, as its organization was at the beginning of the run. */
export async function readClosedDays(
  ctx: Context,
  { organization, destination }: Running,
  days: readonly string[],
): Promise<Map<string, ClosedPart[]>> {
  const [last] = days;
  const first = days.at(-1);
  const through = organization.focus_closed_through;
  const hasFocus = destination.levels.some(({ level }) => level === 'focus');
  if (first === undefined || last === undefined || through === undefined || !hasFocus) return new Map();
  const closed = await readClosed(ctx, organization._id, first, last);
  const entries = [...closed].map(([day, parts]) => {
    return [day, parts.filter(({ billing_period }) => billing_period <= through)] as const;
  });
  return new Map(entries);
}

/**
 * The targets of a day of a level. One that is at the destination though nothing of it was closed is final, and without rows. A
 * day whose calls were no longer kept when it was closed has none: it stays as it is.
 */
export async function targetsOf(
  ctx: Context,
  { organization, destination }: Running,
  level: DestinationLevel,
  { day, closed }: ClosedDay,
): Promise<KnownTarget[]> {
  const rows = await exportPartitionRows(ctx)
    .find({ destination_id: destination._id, day: dateAt(startOfDay(day)), level: level.level })
    .toArray();
  const targets =
    level.level === 'focus' ? focusTargets(organization, level, day, closed) : [openDay(level, day)];
  const isLeft = closed.some(({ is_known }) => !is_known);
  const wanted = new Set(targets.map(({ billingPeriod }) => billingPeriod));
  const others = isLeft ? [] : rows.filter(({ billing_period }) => !wanted.has(billing_period));
  const empty = others.map(({ billing_period: billingPeriod }): Target => {
    return { level, day, billingPeriod, state: 'final', part: null };
  });
  return [...targets, ...empty].map((target) => {
    const known = rows.find(({ billing_period }) => billing_period === target.billingPeriod) ?? null;
    return { target, known };
  });
}

function openDay(level: DestinationLevel, day: string): Target {
  return { level, day, billingPeriod: monthOf(day), state: 'open', closed: [] };
}

function focusTargets(
  organization: Organization,
  level: DestinationLevel,
  day: string,
  closed: readonly ClosedPart[],
): Target[] {
  if (!isClosed(organization, day)) return [openDay(level, day)];
  const known = closed.filter(({ is_known }) => is_known);
  const final = known.map((part): Target => {
    return { level, day, billingPeriod: part.billing_period, state: 'final', part };
  });
  const open = openMonth(organization);
  if (open === null || known.length < closed.length) return final;
  return [...final, { level, day, billingPeriod: open, state: 'open', closed }];
}
