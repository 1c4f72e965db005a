import type { ClientSession } from 'mongoose';
import type { Organization } from '../../core/accounts/organizations/model.ts';
import { quarterHorizonMs } from '../../core/calls/usage/calendar.ts';
import { serialized } from '../../core/calls/usage/serialized.ts';
import { isoTime } from '../../platform/basics/clock.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import { addUser, addWeek, type CellSums, newCellSums, viewCellSums, viewUsers } from './cell-sums.ts';
import { weekKey } from './frozen-cells.ts';
import type { Dimension, FrozenDimension, UserCell, WeekCells } from './model.ts';
import { readFrozenCells, readFrozenWeeks } from './read-frozen.ts';
import type { Week } from './read-week.ts';
import { kOf } from './suppress.ts';
import { askedWeeks, firstSignalMs } from './weeks.ts';

export interface AnalyticsQuestion {
  fromMs?: number | undefined;
  toMs?: number | undefined;
  dimension: Dimension;
}

/**
 * Sums over members, none of whom can be singled out, from weeks that are frozen. Suppression is decided once for each
 * week × value, never for a question as a whole, so two questions cannot reveal by their difference what neither shows.
 * Throws `invalid_request` for anything but whole closed weeks, and for hours that were forgotten.
 */
export async function readAnalytics(ctx: Context, organization: Organization, asked: AnalyticsQuestion) {
  const { dimension } = asked;
  const weeks = askedWeeks(ctx, organization, asked);
  const k = kOf(organization);
  const read = () =>
    inTransaction(ctx.db, (transaction) => sumWeeks(ctx, organization, { weeks, dimension }, transaction));
  const { totals, cells, trend, isAnyPending } = await serialized(ctx, organization._id, read);
  return {
    from: isoTime(weeks[0]?.fromMs ?? 0),
    to: isoTime(weeks.at(-1)?.toMs ?? 0),
    dimension,
    k,
    totals: totals.visibleWeeks === 0 && isAnyPending ? pending : viewCellSums(totals, k),
    trend,
    cells: dimension === 'none' ? [] : viewCells(cells, dimension, k),
  };
}

const pending = { pending: true as const };

/** One week after the other, so that no more than one is held at a time. */
async function sumWeeks(
  ctx: Context,
  organization: Organization,
  { weeks, dimension }: { weeks: readonly Week[]; dimension: Dimension },
  transaction: ClientSession,
) {
  const nowMs = ctx.clock.now();
  const heads = await readFrozenWeeks(ctx, organization._id, weeks, transaction);
  const totals = newCellSums();
  const cells = new Map<string, CellSums>();
  const trend: (ReturnType<typeof viewWeek> | { start: string; pending: true })[] = [];
  for (const week of weeks) {
    const head = heads.get(weekKey(organization._id, week.fromMs));
    const frozen = head?.dimensions[dimension];
    if (!frozen && dimension === 'hour_of_week') refuseForgottenHours(week, nowMs);
    if (!head && week.toMs > firstSignalMs(organization))
      trend.push({ start: isoTime(week.fromMs), ...pending });
    else if (!head || !frozen) trend.push(viewWeek(week, null));
    else {
      const users = sumWeek(cells, frozen, await readFrozenCells(ctx, head, dimension, transaction));
      refuseTooManyCells(cells.size, ctx.config.maxGroups);
      addWeek(totals, users, frozen.is_total_hidden);
      trend.push(viewWeek(week, frozen.is_total_hidden ? null : users));
    }
  }
  return { totals, cells, trend, isAnyPending: trend.some((week) => 'pending' in week) };
}

/** Adds a week to the sums of its cells, and returns its users with their sums. */
function sumWeek(cells: Map<string, CellSums>, frozen: FrozenDimension, week: WeekCells): UserCell[] {
  const hidden = new Set(frozen.hidden);
  const all = new Map<string, UserCell>();
  for (const [value, users] of week) {
    const sums = cells.get(value) ?? newCellSums();
    cells.set(value, sums);
    addWeek(sums, users, hidden.has(value));
    for (const user of users) addUser(all, user);
  }
  return [...all.values()];
}

function refuseTooManyCells(cells: number, mostCells: number): void {
  if (cells <= mostCells) return;
  throw new DomainError('invalid_request', `That makes more than ${mostCells} cells: ask for fewer weeks.`);
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

/** `users` is null when the week is not shown. */
function viewWeek({ fromMs }: Week, users: readonly UserCell[] | null) {
  const start = isoTime(fromMs);
  return users ? { start, ...viewUsers(users) } : { start, suppressed: true as const };
}

function viewCells(cells: ReadonlyMap<string, CellSums>, dimension: Dimension, k: number) {
  const keyOf = (value: string): string | number | null => {
    if (dimension === 'hour_of_week') return Number(value);
    return dimension === 'team' && value === '' ? null : value;
  };
  const order = ([a]: [string, CellSums], [b]: [string, CellSums]) =>
    dimension === 'hour_of_week' ? Number(a) - Number(b) : a < b ? -1 : 1;
  const view = ([value, sums]: [string, CellSums]) => ({
    key: { [dimension]: keyOf(value) },
    ...viewCellSums(sums, k),
  });
  return [...cells].sort(order).map(view);
}
