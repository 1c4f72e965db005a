import { clockOf, dateWords, dayOf } from '../words/time.ts';

export const RANGES = [
  'today',
  '7d',
  '30d',
  'month',
  'last_week',
  'last_month',
  'last_quarter',
  'custom',
] as const;
export type RangeName = (typeof RANGES)[number];

export const RANGE_LABELS: Record<RangeName, string> = {
  today: 'Today',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  month: 'This month',
  last_week: 'Last week',
  last_month: 'Last month',
  last_quarter: 'Last quarter',
  custom: 'Custom',
};

/** The dimensions of usage, by which it is grouped and filtered. */
export const DIMENSIONS = ['user_id', 'project_id', 'model', 'adapter'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
/** The dimensions of works: a call may have no value of them. */
export const WORK_DIMENSIONS = ['repository', 'branch', 'pull_request', 'task'] as const;
export type WorkDimension = (typeof WORK_DIMENSIONS)[number];
/** True of a grouping by what calls were made for. */
export function isWork(by: string): by is WorkDimension {
  return WORK_DIMENSIONS.some((name) => name === by);
}

/** Dimensions, and the teams of the users. */
export type Grouping = Dimension | WorkDimension | 'team';
/** The filters of every page; a team only for who may see all of an organization. */
export const FILTERS = [...DIMENSIONS, 'team', ...WORK_DIMENSIONS] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filters = Partial<Record<FilterName, string>>;

/**
 * The search parameters that every page understands, named as the API's. `from` and `to` are dates or, of a part of a day,
 * times; `to` is exclusive.
 */
export interface SharedSearch extends Filters {
  range?: RangeName | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?$/;

/** The search parameters of a URL that are valid; all others are omitted. */
export function readShared(search: Record<string, unknown>): SharedSearch {
  const read: SharedSearch = {};
  const range = RANGES.find((name) => name === search.range);
  if (range) read.range = range;
  for (const name of ['from', 'to'] as const) {
    const value = search[name];
    if (typeof value === 'string' && MOMENT.test(value) && !Number.isNaN(Date.parse(value)))
      read[name] = value;
  }
  for (const name of FILTERS) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') read[name] = value;
  }
  return read;
}

export interface Range {
  name: RangeName;
  label: string;
  /** As the API takes them; without `to` it is now. */
  query: { from: string; to?: string };
  /** The period before it, just as long. */
  before: { from: string; to: string };
  /** That period in words. */
  beforeLabel: string;
  interval: 'hour' | 'day' | 'week' | 'month';
}

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
/** Whole days before today of which the service still tells hours. */
const HOURS_KEPT_DAYS = 34;

/** The filters that are chosen, as query parameters. A team is for whoever may see all teams. */
export function filtersOf(search: SharedSearch, seesTeams: boolean): Filters {
  const names = FILTERS.filter((name) => seesTeams || name !== 'team');
  return Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
}

/** Pure. Whole days of the timezone up to now; the period before ends as long before it. */
export function rangeOf(search: SharedSearch, timezone: string, nowMs: number): Range {
  const today = dateIn(timezone, nowMs);
  const { range: name, from, to } = search;
  if (name === 'custom' && from && to && from < to)
    return from.length > 10 || to.length > 10
      ? partOfDays(from, to, timezone)
      : wholeDays(from, to, today, nowMs);
  if (name === 'last_week' || name === 'last_month' || name === 'last_quarter') return lastOf(name, today);
  return untilNow(name === undefined || name === 'custom' ? '7d' : name, today, timezone, nowMs);
}

/** A range of moments, such as one hour. */
function partOfDays(from: string, to: string, timezone: string): Range {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const lengthMs = toMs - fromMs;
  const [firstDay, lastDay] = [dayOf(fromMs, timezone), dayOf(toMs, timezone)];
  const end = firstDay === lastDay ? clockOf(toMs, timezone) : `${lastDay}, ${clockOf(toMs, timezone)}`;
  return {
    name: 'custom',
    label: `${firstDay}, ${clockOf(fromMs, timezone)} – ${end}`,
    query: { from, to },
    before: { from: new Date(fromMs - lengthMs).toISOString(), to: from },
    beforeLabel: 'the same time before',
    interval: lengthMs <= 2 * DAY_MS ? 'hour' : 'day',
  };
}

function wholeDays(from: string, to: string, today: string, nowMs: number): Range {
  const days = daysBetween(from, to);
  const last = plusDays(to, -1);
  const areHoursKept = from >= plusDays(today, -HOURS_KEPT_DAYS);
  return {
    name: 'custom',
    label: days === 1 ? dateWords(from, nowMs) : `${dateWords(from, nowMs)} – ${dateWords(last, nowMs)}`,
    query: { from, to },
    before: { from: plusDays(from, -days), to: from },
    beforeLabel: days === 1 ? 'the day before' : `the ${days} days before`,
    interval: days <= 2 && areHoursKept ? 'hour' : days <= 92 ? 'day' : days <= 400 ? 'week' : 'month',
  };
}

/** The calendar's last whole week, which begins on a Monday, month or quarter. */
function lastOf(name: 'last_week' | 'last_month' | 'last_quarter', today: string): Range {
  const starts = (back: number): string => {
    if (name === 'last_week') return plusDays(today, -((weekdayOf(today) + 6) % 7) - 7 * back);
    const month = Number(today.slice(5, 7)) - 1;
    const first = name === 'last_month' ? month - back : month - (month % 3) - 3 * back;
    return new Date(Date.UTC(Number(today.slice(0, 4)), first, 1)).toISOString().slice(0, 10);
  };
  return {
    name,
    label: RANGE_LABELS[name],
    query: { from: starts(1), to: starts(0) },
    before: { from: starts(2), to: starts(1) },
    beforeLabel: `the ${name.slice('last_'.length)} before`,
    interval: 'day',
  };
}

type OpenRange = 'today' | '7d' | '30d' | 'month';

const BEFORE: Record<OpenRange, string> = {
  today: 'yesterday by this time',
  '7d': 'the 7 days before',
  '30d': 'the 30 days before',
  month: 'last month by this day',
};

function untilNow(name: OpenRange, today: string, timezone: string, nowMs: number): Range {
  const days = daysUpTo(name, today);
  const from = plusDays(today, 1 - days.span);
  const fromBefore = plusDays(from, -days.shift);
  // The same for a quarter of an hour, so that answers can be kept.
  const endMs = Math.floor(nowMs / QUARTER_MS) * QUARTER_MS - days.shift * DAY_MS;
  return {
    name,
    label: RANGE_LABELS[name],
    query: { from },
    // A month may be longer than the one before it, which ends where this one begins.
    before: {
      from: fromBefore,
      to: days.span > days.shift ? from : new Date(endAfter(fromBefore, endMs, timezone)).toISOString(),
    },
    beforeLabel: BEFORE[name],
    interval: name === 'today' ? 'hour' : 'day',
  };
}

/** The end of a period that begins with a date: the service refuses one that is empty, as at the beginning of today. */
function endAfter(date: string, epochMs: number, timezone: string): number {
  let endMs = epochMs;
  while (dateIn(timezone, endMs - 1) < date) endMs += QUARTER_MS;
  return endMs;
}

function daysUpTo(name: OpenRange, today: string): { span: number; shift: number } {
  if (name === 'today') return { span: 1, shift: 1 };
  if (name === '7d') return { span: 7, shift: 7 };
  if (name === '30d') return { span: 30, shift: 30 };
  const dayOfMonth = Number(today.slice(8));
  const lastMonth = plusDays(`${today.slice(0, 8)}01`, -1);
  return { span: dayOfMonth, shift: Number(lastMonth.slice(8)) };
}

/** The day of the week of a date; Sunday is 0. */
function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay();
}

/** The date that it is in a timezone. */
export function dateIn(timezone: string, epochMs: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(epochMs);
}

export function plusDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}
