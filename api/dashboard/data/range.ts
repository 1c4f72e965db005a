export const RANGES = ['today', '7d', '30d', 'month', 'custom'] as const;
export type RangeName = (typeof RANGES)[number];

export const RANGE_LABELS: Record<RangeName, string> = {
  today: 'Today',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  month: 'This month',
  custom: 'Custom',
};

export const FILTERS = ['user_id', 'project_id', 'model', 'adapter'] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filters = Partial<Record<FilterName, string>>;

/** The search parameters that every page understands, named as the API's. `from` and `to` are dates, `to` exclusive. */
export interface SharedSearch extends Filters {
  range?: RangeName | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const DATE = /^\d{4}-\d\d-\d\d$/;

/** The search parameters of a URL that are valid; all others are omitted. */
export function readShared(search: Record<string, unknown>): SharedSearch {
  const read: SharedSearch = {};
  const range = RANGES.find((name) => name === search.range);
  if (range) read.range = range;
  for (const name of ['from', 'to'] as const) {
    const value = search[name];
    if (typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value))) read[name] = value;
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
  interval: 'hour' | 'day' | 'week' | 'month';
}

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
/** Whole days before today of which the service still tells hours. */
const HOURS_KEPT_DAYS = 34;

/** The filters that are chosen, as query parameters. */
export function filtersOf(search: SharedSearch): Filters {
  return Object.fromEntries(FILTERS.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
}

/** Pure. Whole days of the timezone up to now; the period before ends as long before it. */
export function rangeOf(search: SharedSearch, timezone: string, nowMs: number): Range {
  const today = dateIn(timezone, nowMs);
  if (search.range === 'custom' && search.from && search.to && search.from < search.to) {
    const days = daysBetween(search.from, search.to);
    return {
      name: 'custom',
      label: `${search.from} – ${plusDays(search.to, -1)}`,
      query: { from: search.from, to: search.to },
      before: { from: plusDays(search.from, -days), to: search.from },
      interval:
        days <= 2 && search.from >= plusDays(today, -HOURS_KEPT_DAYS)
          ? 'hour'
          : days <= 92
            ? 'day'
            : days <= 400
              ? 'week'
              : 'month',
    };
  }
  const name = search.range === undefined || search.range === 'custom' ? '7d' : search.range;
  const days = daysUpTo(name, today);
  const from = plusDays(today, 1 - days.span);
  // The same for a quarter of an hour, so that answers can be kept.
  const endMs = Math.floor(nowMs / QUARTER_MS) * QUARTER_MS - days.shift * DAY_MS;
  return {
    name,
    label: RANGE_LABELS[name],
    query: { from },
    // A month may be longer than the one before it, which ends where this one begins.
    before: {
      from: plusDays(from, -days.shift),
      to: days.span > days.shift ? from : new Date(endMs).toISOString(),
    },
    interval: name === 'today' ? 'hour' : 'day',
  };
}

function daysUpTo(name: Exclude<RangeName, 'custom'>, today: string): { span: number; shift: number } {
  if (name === 'today') return { span: 1, shift: 1 };
  if (name === '7d') return { span: 7, shift: 7 };
  if (name === '30d') return { span: 30, shift: 30 };
  const dayOfMonth = Number(today.slice(8));
  const lastMonth = plusDays(`${today.slice(0, 8)}01`, -1);
  return { span: dayOfMonth, shift: Number(lastMonth.slice(8)) };
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
