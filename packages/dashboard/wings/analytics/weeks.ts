import type { AnswerOf } from '../../data/client.ts';
import { dayOf } from '../../words/time.ts';

export type Answer = AnswerOf<'/api/v1/org/{orgId}/analytics'>;
type Cell = Answer['cells'][number];
export type Figures = Extract<Answer['trend'][number], { active_users: number }>;

export const DIMENSIONS: Record<Answer['dimension'], string> = {
  none: 'Whole organization',
  model: 'Model',
  adapter: 'Tool',
  project: 'Project',
  team: 'Team',
  hour_of_week: 'Hour of the week',
};

export type Measure = 'users' | 'sessions' | 'signals' | 'errors' | 'tokens' | 'cost';

export const MEASURES: Record<Measure, { label: string; of: (figures: Figures) => number; isMoney?: true }> =
  {
    users: { label: 'Users', of: ({ active_users }) => active_users },
    sessions: { label: 'Sessions', of: ({ sessions }) => sessions },
    signals: { label: 'Calls', of: ({ signals }) => signals },
    errors: { label: 'Errors', of: ({ errors }) => errors },
    tokens: { label: 'Tokens', of: ({ tokens_in, tokens_out }) => tokens_in + tokens_out },
    cost: { label: 'Cost', of: ({ cost_usd }) => cost_usd, isMoney: true },
  };

/** A line of figures, or of why there are none. */
export interface Row {
  label: string;
  /** The page of the value, where it has one. */
  filter?: { by: 'model' | 'adapter' | 'project_id' | 'team'; of: string };
  /** The first day of a week. */
  short?: string;
  cell: object;
  /** The figures of the week before; only where both are visible. */
  before?: Figures | undefined;
  /** The end of a week that is not shown yet, and when it appears. */
  shownFrom?: string | undefined;
  /** True where calls cost nothing because no price is known. */
  isUnpriced?: boolean;
}

/** The figures of a cell; null where they are hidden or not there yet. */
export function figuresOf(cell: object): Figures | null {
  return 'active_users' in cell ? (cell as Figures) : null;
}

const DAY_MS = 86_400_000;

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** The values of the dimension, over all weeks; `unpriced` are those with calls of no known price. Pure. */
export function valuesOf(
  { dimension, cells }: Pick<Answer, 'dimension' | 'cells'>,
  unpriced: ReadonlySet<unknown>,
): Row[] {
  return cells.map((cell) => ({
    label: keyWords(dimension, cell),
    ...filterOf(dimension, cell),
    cell,
    isUnpriced: figuresOf(cell)?.cost_usd === 0 && unpriced.has(cell.key[dimension]),
  }));
}

/** The grouping of usage by which a dimension's values can be looked up there. */
export const GROUPINGS: Partial<Record<Answer['dimension'], NonNullable<Row['filter']>['by']>> = {
  model: 'model',
  adapter: 'adapter',
  project: 'project_id',
  team: 'team',
};

function filterOf(dimension: Answer['dimension'], { key }: Cell): Pick<Row, 'filter'> {
  const by = GROUPINGS[dimension];
  const value = key[dimension];
  if (by === undefined || typeof value !== 'string') return {};
  return { filter: { by, of: value } };
}

function keyWords(dimension: Answer['dimension'], { key }: Cell): string {
  const value = key[dimension];
  if (value === null || value === undefined) return 'without';
  // Decisions of a policy gate, above all.
  if (dimension === 'model' && value === 'unknown') return 'without a model';
  if (dimension !== 'hour_of_week') return String(value);
  const hour = Number(value);
  return `${DAYS[Math.floor(hour / 24)] ?? ''} ${String(hour % 24).padStart(2, '0')}:00`;
}

/** The weeks, oldest first, each beside the one before it. Pure. */
export function weeksOf({ trend }: Pick<Answer, 'trend'>, timezone: string): Row[] {
  return trend.map((cell, index) => {
    const before = trend[index - 1];
    return {
      ...nameWeek(cell.start, timezone),
      cell,
      before: before ? (figuresOf(before) ?? undefined) : undefined,
      ...('pending' in cell ? { shownFrom: whenShown(cell.start, timezone) } : {}),
    };
  });
}

/** The week after the last one of the answer, which is still running. Pure. */
export function runningWeek({ to }: Pick<Answer, 'to'>, timezone: string): Row {
  return { ...nameWeek(to, timezone), cell: {}, shownFrom: whenShown(to, timezone) };
}

/** "26 Oct – 1 Nov": its Monday and its Sunday. */
function nameWeek(start: string, timezone: string): { label: string; short: string } {
  const monday = dayAfter(start, 0, timezone);
  return { label: `${monday} – ${dayAfter(start, 6, timezone)}`, short: monday };
}

/** A week is frozen a day after its end, by a job that runs hourly. */
function whenShown(start: string, timezone: string): string {
  const isOver = Date.parse(start) + 8 * DAY_MS < Date.now();
  if (isOver) return 'over, shown within the hour';
  return `ends ${dayAfter(start, 6, timezone)}, shown from ${dayAfter(start, 8, timezone)}`;
}

/** A day of a week. Noon is the same day whatever the clocks do. */
function dayAfter(start: string, days: number, timezone: string): string {
  return dayOf(Date.parse(start) + days * DAY_MS + DAY_MS / 2, timezone);
}
