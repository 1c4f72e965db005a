import { DomainError } from '../../../platform/basics/errors.ts';
import type { Order, Position } from '../../../platform/basics/paginate.ts';
import type { Context } from '../../../platform/context/context.ts';
import { few } from '../../../platform/context/few.ts';
import { matchingByCost, matchingFew, type SessionFilter } from './match-sessions.ts';
import { type Session, sessionRows } from './model.ts';

/** The embedded store subtracts no dates, and MongoDB counts whole seconds by the clock's, not the session's. */
const LENGTH_MS = { $dateDiff: { startDate: '$started_at', endDate: '$ended_at', unit: 'millisecond' } };

/** The values that sessions are ordered by, beside their start. */
const VALUES = {
  cost_usd: '$cost_nusd',
  tokens: { $add: ['$tokens_in', '$tokens_out'] },
  signal_count: '$signal_count',
  error_count: '$error_count',
  intervention_count: '$intervention_count',
  duration_s: { $floor: { $divide: [LENGTH_MS, 1_000] } },
} as const;
type Value = keyof typeof VALUES;

export const SESSION_SORTS = ['started_at', ...(Object.keys(VALUES) as Value[])] as const;
export type SessionSort = 'started_at' | Value;

/** Sessions that are read and ordered for each page; more are found by the index of the cost. */
export const ORDERED_BY_COST = 20_000;
/** The same by any other value; more are a 400, because no index has them. */
export const ORDERED_SESSIONS = 50_000;

export interface OrderedPage {
  sort: Value;
  order: Order;
  limit: number;
  after: Position | null;
  /** The number of sessions that match. */
  total: number;
}

interface Found {
  rows: Session[];
  hasMore: boolean;
  last: Position | null;
}

/** A range of starts, as a filter. */
type Started = { started_at: { $gte: Date; $lt: Date } };

/**
 * One page of the sessions that match, ordered by (a value of theirs, id). Both ways have the same order, so a walk may change
 * from one to the other. Throws `invalid_request` when there are too many to order by a value without an index.
 */
export async function orderSessions(
  ctx: Context,
  orgId: string,
  query: { match: SessionFilter; started: Started },
  page: OrderedPage,
): Promise<Found> {
  const { sort, total } = page;
  if (sort === 'cost_usd' && total > few(ctx, ORDERED_BY_COST)) return walkCosts(ctx, orgId, query, page);
  if (total > ORDERED_SESSIONS) refuse(sort, total);
  const { match, started } = query;
  const stages = [
    ...matchingFew(orgId, match, { ...started }),
    { $project: { value: VALUES[sort] } },
    ...(page.after ? [{ $match: beyond(page.order, page.after) }] : []),
    { $sort: { value: directionOf(page.order), _id: directionOf(page.order) } },
    ...(match.having ?? []),
    { $limit: page.limit + 1 },
  ];
  const places = await sessionRows(ctx).aggregate<{ _id: string; value: number }>(stages).toArray();
  const ids = places.slice(0, page.limit).map(({ _id }) => _id);
  const named = { org_id: orgId, _id: { $in: ids } };
  const rows = ids.length === 0 ? [] : await sessionRows(ctx).find(named).toArray();
  const byId = new Map(rows.map((row) => [row._id, row]));
  const last = places[ids.length - 1];
  return {
    rows: ids.flatMap((id) => byId.get(id) ?? []),
    hasMore: places.length > page.limit,
    last: last ? { at: Number(last.value), id: last._id, span: 0 } : page.after,
  };
}

function refuse(sort: Value, total: number): never {
  throw new DomainError(
    'invalid_request',
    `${total} sessions match, and sort=${sort} orders at most ${ORDERED_SESSIONS}: ask for a shorter range, set a filter, or ` +
      'order by cost_usd or started_at.',
    { errors: [{ parameter: 'sort', detail: `orders at most ${ORDERED_SESSIONS} sessions, not ${total}` }] },
  );
}

function directionOf(order: Order): 1 | -1 {
  return order === 'desc' ? -1 : 1;
}

/** The places after a page's last one. */
function beyond(order: Order, { at, id }: Position) {
  const next = order === 'desc' ? '$lt' : '$gt';
  return { $or: [{ value: { [next]: at } }, { value: at, _id: { [next]: id } }] };
}

/** Above every cost: an integer in a double is exact up to here. */
const ABOVE_ALL = 2 ** 53;
/**
 * The first range of a walk reaches from a cost to four fifths of it, or five quarters: an empty range costs the embedded server a
 * millisecond, one with rows costs as much as it has rows, however few are asked for.
 */
const FIRST_RATIO = 1.25;

/**
 * One page along the index of the cost, in ranges that are bounded by a ratio, since costs lie far apart at the top and close
 * together below. A narrow range and one with too few rows are followed by a wider one, so that a gap is soon crossed and nothing dense
 * behind it is read whole. A page begins narrower than the one before was.
 */
async function walkCosts(
  ctx: Context,
  orgId: string,
  { match, started }: { match: SessionFilter; started: Started },
  { order, limit, after }: OrderedPage,
): Promise<Found> {
  const { minCostNusd = 0, ...others } = match;
  const isDescending = order === 'desc';
  const rows: Session[] = [];
  const read = async (condition: Record<string, unknown>) => {
    const stages = [
      ...matchingByCost(orgId, others, condition),
      { $match: { ...started } },
      { $sort: { cost_nusd: directionOf(order), _id: directionOf(order) } },
      ...(others.having ?? []),
      { $limit: limit + 1 - rows.length },
    ];
    const found = await sessionRows(ctx).aggregate<Session>(stages).toArray();
    rows.push(...found);
    return found.length > 0;
  };
  if (after) await read({ cost_nusd: after.at, _id: { [isDescending ? '$lt' : '$gt']: after.id } });
  let edge = startOf({ order, after }, minCostNusd);
  let ratio = after?.span || FIRST_RATIO;
  while (rows.length <= limit && (isDescending ? edge > minCostNusd : edge < ABOVE_ALL)) {
    const next = isDescending
      ? Math.max(minCostNusd, Math.min(edge - 1, Math.floor(edge / ratio)))
      : Math.min(ABOVE_ALL, Math.max(edge + 1, Math.ceil(edge * ratio)));
    const hasFound = await read({
      cost_nusd: isDescending ? { $gte: next, $lt: edge } : { $gte: edge, $lt: next },
    });
    edge = next;
    if (hasFound || ratio < FIRST_RATIO) ratio **= 2;
  }
  const shown = rows.slice(0, limit);
  const [first, last] = [shown[0], shown.at(-1)];
  return {
    rows: shown,
    hasMore: rows.length > limit,
    last: first && last ? { at: last.cost_nusd, id: last._id, span: nextRatio(first, last) } : after,
  };
}

function startOf({ order, after }: Pick<OrderedPage, 'order' | 'after'>, leastCost: number): number {
  if (order === 'desc') return after?.at ?? ABOVE_ALL;
  return Math.max(leastCost, after === null ? 0 : after.at + 1);
}

/** Half as wide as the page was, on the scale of ratios, and no narrower than a thousandth. */
function nextRatio(first: Session, last: Session): number {
  const costs = [first.cost_nusd, last.cost_nusd].map((cost) => Math.max(1, cost));
  return Math.min(FIRST_RATIO, Math.max(1.001, Math.sqrt(Math.max(...costs) / Math.min(...costs))));
}
