import { dateAt } from '../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import {
  allPages,
  type KeysetQuery,
  type Listed,
  type ListPage,
  paginate,
} from '../../../platform/basics/paginate.ts';
import type { Context } from '../../../platform/context/context.ts';
import { few } from '../../../platform/context/few.ts';
import { firstSpan } from '../../../platform/mongo/embedded-ranges.ts';
import { findOpen } from './find-open.ts';
import { isOfFew, matchingFew, matchingSessions, type SessionFilter } from './match-sessions.ts';
import { type Session, sessionRows } from './model.ts';
import { ORDERED_BY_COST, orderSessions, type SessionSort } from './order-sessions.ts';

interface AskedPage extends Omit<ListPage, 'total'> {
  sort: SessionSort;
  /** Asked for when it is not known. */
  total: number | (() => Promise<number>);
}

/** Open sessions that are looked up by their ids. More are found by their times, since they began lately. */
const FEW_OPEN = 500;

/** One page of an organization's sessions, ordered by (`sort`, id). Throws as `orderSessions` does. */
export async function listSessions(
  ctx: Context,
  orgId: string,
  asked: SessionFilter,
  page: AskedPage,
): Promise<Listed<Session>> {
  const filter = await nameOpen(ctx, orgId, asked);
  const { sort } = page;
  const toMs = filter.toMs ?? latestEndMs(ctx);
  const count = () => (typeof page.total === 'number' ? page.total : page.total());
  if (sort === 'started_at') {
    const fromMs = filter.fromMs ?? (await earliestStartMs(ctx, orgId, page));
    const counted = count();
    const isRead = isOfFew(filter) && (await counted) <= few(ctx, ORDERED_BY_COST);
    const span = isRead ? { firstSpanMs: toMs - fromMs } : firstSpan(ctx.db, { fromMs, toMs });
    const range = { fromMs, toMs, ...span };
    const [found, total] = await Promise.all([
      paginate<Session>(finderOf(ctx, orgId, filter, isRead ? matchingFew : matchingSessions), 'started_at', {
        ...page,
        ...range,
      }),
      counted,
    ]);
    return { ...found, total };
  }
  const total = await count();
  const started = { started_at: { $gte: dateAt(filter.fromMs ?? 0), $lt: dateAt(toMs) } };
  const found = await orderSessions(ctx, orgId, { match: filter, started }, { ...page, sort, total });
  return { ...found, total };
}

/** The same filter, with the ids of those that are open where they are few. */
async function nameOpen(ctx: Context, orgId: string, filter: SessionFilter): Promise<SessionFilter> {
  if (filter.state !== 'open' || filter.ids !== undefined) return filter;
  const most = few(ctx, FEW_OPEN);
  const ids = await findOpen(ctx, orgId, { limit: most + 1 });
  return ids.length > most ? filter : { ...filter, ids };
}

/**
 * Where a list without `from` begins, so that it shows all that `total` counts. From the oldest session on only where
 * the page starts there: on any other page 0 costs nothing.
 */
async function earliestStartMs(ctx: Context, orgId: string, page: Pick<ListPage, 'order' | 'after'>) {
  if (page.order === 'desc' || page.after !== null) return 0;
  const options = { sort: { started_at: 1 }, projection: { started_at: 1 } } as const;
  const oldest = await sessionRows(ctx).findOne({ org_id: orgId }, options);
  return oldest?.started_at.getTime() ?? 0;
}

const BATCH_SESSIONS = 1_000;

/** All sessions that match, ordered by (`started_at`, id), oldest first, page by page. */
export async function* sessionPages(
  ctx: Context,
  orgId: string,
  filter: SessionFilter,
): AsyncGenerator<Session[]> {
  const fromMs = filter.fromMs ?? (await earliestStartMs(ctx, orgId, { order: 'asc', after: null }));
  const toMs = filter.toMs ?? latestEndMs(ctx);
  const range = { order: 'asc', limit: BATCH_SESSIONS, fromMs, toMs } as const;
  yield* allPages<Session>(finderOf(ctx, orgId, filter), 'started_at', range);
}

/** All sessions of one user, oldest first, also those whose signals were all voided: these are still kept. */
export async function* sessionsOfUser(ctx: Context, orgId: string, userId: string): AsyncGenerator<Session> {
  const find = ({ filter, sort, limit }: KeysetQuery) =>
    sessionRows(ctx)
      .find({ org_id: orgId, user_id: userId, ...filter }, { sort, limit })
      .toArray();
  const fromMs = await earliestStartMs(ctx, orgId, { order: 'asc', after: null });
  const range = { order: 'asc', limit: BATCH_SESSIONS, fromMs, toMs: latestEndMs(ctx) } as const;
  for await (const sessions of allPages<Session>(find, 'started_at', range)) yield* sessions;
}

function finderOf(ctx: Context, orgId: string, match: SessionFilter, matching = matchingSessions) {
  return ({ filter, sort, limit }: KeysetQuery): Promise<Session[]> =>
    sessionRows(ctx)
      .aggregate<Session>([
        ...matching(orgId, match, filter),
        { $sort: sort },
        ...(match.having ?? []),
        { $limit: limit },
      ])
      .toArray();
}

/** Every session has begun before this. Epoch ms. */
function latestEndMs(ctx: Context): number {
  return ctx.clock.now() + SIGNAL_AGE_MS.ahead + 1;
}
