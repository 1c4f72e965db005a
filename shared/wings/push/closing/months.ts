import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { FOCUS_CLOSE_DAY } from '../../../platform/basics/contract.ts';
import { dayAt, startOfDay } from '../../../platform/basics/utc-days.ts';

/** `2026-11`, the month of a day like `2026-11-22`. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** The month that comes so many after a month. */
export function addMonths(month: string, count: number): string {
  return monthOf(dayAt(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + count, 1)));
}

/** The start of a month, epoch ms. */
export function startOfMonth(month: string): number {
  return startOfDay(`${month}-01`);
}

/** The day of the next month at which a month closes. */
export function closeDayOf({ focus_close_day }: Pick<Organization, 'focus_close_day'>): number {
  return focus_close_day ?? FOCUS_CLOSE_DAY.default;
}

/** The last month that has to be closed. Pure. */
export function lastDueMonth(closeDay: number, nowMs: number): string {
  const today = dayAt(nowMs);
  return addMonths(monthOf(today), Number(today.slice(8)) >= closeDay ? -1 : -2);
}

/** The month whose bill gets the corrections: the first that is not closed. Null before any month was closed. */
export function openMonth({
  focus_closed_through,
}: Pick<Organization, 'focus_closed_through'>): string | null {
  return focus_closed_through === undefined ? null : addMonths(focus_closed_through, 1);
}

/** Returns true for a day (`2026-11-22`) of a month that is closed. */
export function isClosed(
  { focus_closed_through }: Pick<Organization, 'focus_closed_through'>,
  day: string,
): boolean {
  return focus_closed_through !== undefined && monthOf(day) <= focus_closed_through;
}
