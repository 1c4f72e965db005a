import type { Organization } from '../organizations/model.ts';
import { isoTime } from '../platform/basics/clock.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { quarterHorizonMs } from '../usage/periods.ts';
import { addWeek, type CellSums, newCellSums, viewCellSums, viewUsers } from './cell-sums.ts';
import { weekKey } from './frozen-cells.ts';
import type { Dimension, FrozenDimension, WeekCells } from './model.ts';
import { readFrozenCells, readFrozenWeeks } from './read-frozen.ts';
import type { Week } from './read-week.ts';
import { kOf } from './suppress.ts';
import { askedWeeks, FROZEN_AFTER_MS, isOwnWeek } from './weeks.ts';

export interface AnalyticsQuestion {
  fromMs?: number | undefined;
  toMs?: number | undefined;
  dimension: Dimension;
}

/**
 * Sums over members, none of whom can be singled out, from weeks that are frozen. What is hidden is decided once for each
 * week × value, never for a question as a whole, so two questions cannot reveal by their difference what neither shows.
 * Throws `invalid_request` for anything but whole closed weeks, and for hours that were forgotten.
 */
export async function readAnalytics(ctx: Context, organization: Organization, asked: AnalyticsQuestion) {
  const { dimension } = asked;
  const weeks = askedWeeks(ctx, organization, asked);
  const k = kOf(organization);
  const answers = await readWeeks(ctx, organization, weeks, dimension);
  const totals = newCellSums();
  const cells = new Map<string, CellSums>();
  for (const { frozen, cells: byValue } of answers) {
    if (!frozen) continue;
    addWeek(totals, [...byValue.values()].flat(), frozen.is_total_hidden);
    const hidden = new Set(frozen.hidden);
    for (const [value, users] of byValue) {
      const sums = cells.get(value) ?? newCellSums();
      cells.set(value, sums);
      addWeek(sums, users, hidden.has(value));
    }
  }
  refuseTooManyCells(cells.size, ctx.config.maxGroups);
  const isAnyPending = answers.some(({ isPending }) => isPending);
  return {
    from: isoTime(weeks[0]?.fromMs ?? 0),
    to: isoTime(weeks.at(-1)?.toMs ?? 0),
    dimension,
    k,
    totals: totals.visibleWeeks === 0 && isAnyPending ? pending : viewCellSums(totals, k),
    cells: dimension === 'none' ? [] : viewCells(cells, dimension, k),
    trend: answers.map(viewWeek),
  };
}

function refuseTooManyCells(cells: number, mostCells: number): void {
  if (cells <= mostCells) return;
  throw new DomainError('invalid_request', `That makes more than ${mostCells} cells: ask for fewer weeks.`);
}

const pending = { pending: true as const };

interface AnsweredWeek {
  week: Week;
  /** Null when nothing is answered about the week. */
  frozen: FrozenDimension | null;
  /** It will be frozen. */
  isPending: boolean;
  cells: WeekCells;
}

async function readWeeks(
  ctx: Context,
  organization: Organization,
  weeks: readonly Week[],
  dimension: Dimension,
): Promise<AnsweredWeek[]> {
  const nowMs = ctx.clock.now();
  return inTransaction(ctx.db, async (transaction) => {
    const heads = await readFrozenWeeks(ctx, organization._id, weeks, transaction);
    const cells = await readFrozenCells(ctx, [...heads.values()], dimension, transaction);
    return weeks.map((week) => {
      const key = weekKey(organization._id, week.fromMs);
      const frozen = heads.get(key)?.dimensions[dimension] ?? null;
      if (!frozen && dimension === 'hour_of_week') refuseForgottenHours(week, nowMs);
      const isPending =
        !heads.has(key) && (week.toMs + FROZEN_AFTER_MS > nowMs || isOwnWeek(organization, week));
      return { week, frozen, isPending, cells: cells.get(key) ?? new Map() };
    });
  });
}

/** Hours are known from the quarter hours, which are kept for 35 days. */
function refuseForgottenHours({ fromMs }: Week, nowMs: number): void {
  const horizonMs = quarterHorizonMs(nowMs);
  if (fromMs >= horizonMs) return;
  throw new DomainError(
    'invalid_request',
    `dimension=hour_of_week: the hours of the week from ${isoTime(fromMs)} are not known. They are kept for 35 days ` +
      `(since ${isoTime(horizonMs)}), and for weeks that were frozen within these.`,
  );
}

function viewWeek({ week, frozen, isPending, cells }: AnsweredWeek) {
  const start = isoTime(week.fromMs);
  if (isPending) return { start, pending: true as const };
  if (!frozen || frozen.is_total_hidden) return { start, suppressed: true as const };
  return { start, ...viewUsers([...cells.values()].flat()) };
}

function viewCells(cells: ReadonlyMap<string, CellSums>, dimension: Dimension, k: number) {
  const keyOf = (value: string): string | number | null => {
    if (dimension === 'hour_of_week') return Number(value);
    return dimension === 'team' && value === '' ? null : value;
  };
  const order = ([a]: [string, CellSums], [b]: [string, CellSums]) =>
    dimension === 'hour_of_week' ? Number(a) - Number(b) : a < b ? -1 : 1;
  return [...cells]
    .sort(order)
    .map(([value, sums]) => ({ key: { [dimension]: keyOf(value) }, ...viewCellSums(sums, k) }));
}
