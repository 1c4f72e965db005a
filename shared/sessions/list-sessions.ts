import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import { type Order, type Position, paginate } from '../platform/basics/paginate.ts';
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
  const match = (condition: Record<string, unknown>) => matchStages(orgId, equal, condition);
  const [found, total] = await Promise.all([
    paginate<Session>(
      ({ filter: range, sort, limit }) =>
        sessionRows(ctx)
          .aggregate<Session>([...match(range), { $sort: sort }, { $limit: limit }])
          .toArray(),
      'started_at',
      {
        ...page,
        fromMs: fromMs ?? (await earliestStartMs(ctx, orgId, page)),
        toMs: toMs ?? ctx.clock.now() + SIGNAL_AGE_MS.ahead + 1,
      },
    ),
    page.total ?? count(ctx, match(rangeOf(fromMs, toMs))),
  ]);
  return { ...found, total };
}

/**
 * Where a list without `from` begins, so that it shows all that `total` counts. From the oldest session on only where
 * the page starts there: on any other page 0 costs nothing.
 */
async function earliestStartMs(
  ctx: Context,
  orgId: string,
  page: { order: Order; after: Position | null },
): Promise<number> {
  if (page.order === 'desc' || page.after !== null) return 0;
  const options = { sort: { started_at: 1 }, projection: { started_at: 1 } } as const;
  const oldest = await sessionRows(ctx).findOne({ org_id: orgId }, options);
  return oldest?.started_at.getTime() ?? 0;
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

const BATCH_SESSIONS = 500;

/** All sessions of one user, oldest first, page by page: memory stays flat, and a slow reader holds no cursor open. */
export async function* sessionsOfUser(ctx: Context, orgId: string, userId: string): AsyncGenerator<Session> {
  const page = { order: 'asc', limit: BATCH_SESSIONS, total: 0 } as const;
  let after: Position | null = null;
  let hasMore = true;
  while (hasMore) {
    const found: SessionPage = await listSessions(ctx, orgId, { user_id: userId }, { ...page, after });
    yield* found.rows;
    after = found.last;
    hasMore = found.hasMore;
  }
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
