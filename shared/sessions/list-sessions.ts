import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import { type Order, type Position, walkPage } from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';
import { type Session, sessionRows } from './model.ts';

export interface SessionFilter {
  user_id?: string | undefined;
  project_id?: string | undefined;
  /** Primary model, exactly. */
  model?: string | undefined;
  adapter?: string | undefined;
  /** Epoch ms; `started_at` in [fromMs, toMs). */
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

export interface SessionPage {
  rows: Session[];
  hasMore: boolean;
  last: Position | null;
  total: number;
}

/** One page of an organization's sessions, ordered by (`started_at`, id). Counts only when `total` is not known. */
export async function listSessions(
  ctx: Context,
  orgId: string,
  filter: SessionFilter,
  page: { order: Order; limit: number; after: Position | null; total: number | null },
): Promise<SessionPage> {
  const { fromMs, toMs, ...equal } = filter;
  const direction = page.order === 'desc' ? -1 : 1;
  const sort = { started_at: direction, _id: direction } as const;
  const match = (condition: Record<string, unknown>) => matchStages(orgId, equal, condition);
  const find = (condition: Record<string, unknown>, limit: number) =>
    sessionRows(ctx)
      .aggregate<Session>([...match(condition), { $sort: sort }, { $limit: limit }])
      .toArray();
  const [walked, total] = await Promise.all([
    walkPage<Session>({
      ...page,
      fromMs: fromMs ?? oldestStartMs(ctx),
      toMs: toMs ?? ctx.clock.now() + SIGNAL_AGE_MS.ahead + 1,
      position: (session) => ({ atMs: session.started_at.getTime(), id: session._id }),
      fetchRange: (from, to, limit) =>
        find({ started_at: { $gte: new Date(from), $lt: new Date(to) } }, limit),
      fetchTies: (at, id, limit) =>
        find({ started_at: new Date(at), _id: page.order === 'desc' ? { $lt: id } : { $gt: id } }, limit),
    }),
    page.total ?? count(ctx, match(rangeOf(fromMs, toMs))),
  ]);
  return { ...walked, total };
}

/** Nothing can have begun earlier: signals are at most 35 days old on arrival, and are kept for the retention. */
function oldestStartMs(ctx: Context): number {
  return ctx.clock.now() - ctx.config.signalRetentionDays * 86_400_000 - 2 * SIGNAL_AGE_MS.behind;
}

function rangeOf(fromMs: number | undefined, toMs: number | undefined): Record<string, unknown> {
  if (fromMs === undefined && toMs === undefined) return {};
  return {
    started_at: {
      ...(fromMs === undefined ? {} : { $gte: new Date(fromMs) }),
      ...(toMs === undefined ? {} : { $lt: new Date(toMs) }),
    },
  };
}

/** Which filter's index bounds the range, when there are several: who is rarer than what. */
const RAREST_FIRST = ['user_id', 'project_id', 'model', 'adapter'] as const;

/**
 * One filter and the condition on the time, which one index holds whole, then the other filters: MongoDB joins the
 * stages, the embedded server would read every session for fields that the index does not hold (docs/stores.md).
 */
function matchStages(
  orgId: string,
  equal: Omit<SessionFilter, 'fromMs' | 'toMs'>,
  condition: Record<string, unknown>,
): { $match: Record<string, unknown> }[] {
  const [first, ...others] = RAREST_FIRST.filter((name) => equal[name] !== undefined).map((name) => ({
    [name]: equal[name],
  }));
  const indexed = { $match: { org_id: orgId, ...first, ...condition } };
  return others.length === 0 ? [indexed] : [indexed, { $match: Object.assign({}, ...others) }];
}

/** The embedded server counts what one index holds without reading it. */
async function count(ctx: Context, stages: { $match: Record<string, unknown> }[]): Promise<number> {
  const [indexed, ...others] = stages;
  if (others.length === 0) return sessionRows(ctx).countDocuments(indexed?.$match);
  const [counted] = await sessionRows(ctx)
    .aggregate<{ n: number }>([...stages, { $group: { _id: 1, n: { $sum: 1 } } }])
    .toArray();
  return counted?.n ?? 0;
}
