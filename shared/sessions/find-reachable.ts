import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import { type KeysetQuery, paginate } from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';
import { onShard } from '../platform/mongo/on-shard.ts';
import { type Session, sessionHeadRows, sessionRows } from './model.ts';

/** The newest session of each key. One command, whatever the number of keys; of no keys none. */
export async function findNewest(
  ctx: Context,
  orgId: string,
  keys: ReadonlySet<string>,
  transaction: ClientSession,
): Promise<Map<string, Session>> {
  if (keys.size === 0) return new Map();
  const newest = await sessionHeadRows(ctx)
    .aggregate<Session>(
      [
        { $match: { _id: { $in: [...keys] } } },
        {
          $lookup: {
            from: sessionRows.collectionName,
            localField: 'session_id',
            foreignField: '_id',
            as: 'sessions',
            // What `onShard` does for a filter.
            ...(ctx.db.isSharded ? { pipeline: [{ $match: { org_id: orgId } }] } : {}),
          },
        },
        { $unwind: '$sessions' },
        { $replaceRoot: { newRoot: '$sessions' } },
      ],
      { session: transaction },
    )
    .toArray();
  return new Map(newest.map((session) => [session.key, session]));
}

/** When signals of a key were, in epoch ms. */
interface Span {
  earliestMs: number;
  latestMs: number;
}

/**
 * The sessions of a key that signals may join, given its newest one, which is always among them: usually that alone; for
 * late signals all that begin within their reach, and the last that begins before.
 */
export async function findReachable(
  ctx: Context,
  newest: Session | undefined,
  { earliestMs, latestMs }: Span,
  timeoutMs: number,
  transaction: ClientSession,
): Promise<Session[]> {
  if (!newest) return [];
  if (earliestMs >= newest.started_at.getTime()) return [newest];
  const { key, org_id } = newest;
  const reach = { $gte: dateAt(earliestMs - timeoutMs), $lte: dateAt(latestMs + timeoutMs) };
  const within = await sessionRows(ctx)
    .find(onShard(ctx, { key, started_at: reach }, { org_id }), { session: transaction })
    .toArray();
  const found = [...(await findLastBefore(ctx, newest, earliestMs - timeoutMs, transaction)), ...within];
  return [...found.filter(({ _id }) => _id !== newest._id), newest];
}

/** Sessions of a key never overlap: of those that begin before a moment, however long ago, only the last can reach to it. */
async function findLastBefore(
  ctx: Context,
  { key, org_id }: Pick<Session, 'key' | 'org_id'>,
  beforeMs: number,
  transaction: ClientSession,
): Promise<Session[]> {
  const find = ({ filter, sort, limit }: KeysetQuery) =>
    sessionRows(ctx)
      .find(onShard(ctx, { key, ...filter }, { org_id }), { session: transaction, sort, limit })
      .toArray();
  const { rows } = await paginate<Session>(find, 'started_at', {
    order: 'desc',
    fromMs: 0,
    toMs: beforeMs,
    after: null,
    limit: 1,
  });
  return rows;
}
