import fc from 'fast-check';
import type { BudgetInput } from '../../shared/core/limits/budgets/rules/input.ts';
import { CALENDAR_WINDOWS } from '../../shared/core/limits/budgets/rules/model.ts';

/** The windows of budgets, each with the fields that it needs. A total begins so many days ago. */
export function everyCalendar(
  nowMs: number,
  totalDays: number,
): Pick<BudgetInput, 'window' | 'fiscal_start_month' | 'rolling_days' | 'starts_on'>[] {
  const starts_on = new Date(nowMs - totalDays * 86_400_000).toISOString().slice(0, 10);
  return [
    ...CALENDAR_WINDOWS.map((window) => ({ window })),
    { window: 'quarterly', fiscal_start_month: 11 },
    { window: 'rolling', rolling_days: 7 },
    { window: 'rolling', rolling_days: 31 },
    { window: 'total', starts_on },
  ];
}

/** Timezones with whole, half and quarter hours, with and without daylight saving time, on both sides of the date line. */
export const anyZone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
);

/** A timezone in which it is about noon at a moment: half of the day has passed, and all of a test lies in it. */
export function noonTimezone(at: Date): string {
  const ahead = 12 - at.getUTCHours();
  return ahead >= 0 ? `Etc/GMT-${ahead}` : `Etc/GMT+${-ahead}`;
}
