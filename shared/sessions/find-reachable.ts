import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import { type KeysetQuery, paginate } from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';
import { onShard } from '../platform/mongo/on-shard.ts';
import { type Session, sessionHeadRows, sessionRows } from './model.ts';

/** The newest session of each key. One command, whatever the number of keys. */
export async function findNewest(
  ctx: Context,
  orgId: string,
  keys: readonly string[],
  transaction: ClientSession,
): Promise<Map<string, Session>> {
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

/**
 * The sessions that signals of a key may join, given its newest one: usually that alone; for late signals all that begin
 * after them, and the last that begins before. `earliestMs` is the time of the earliest signal.
 */
export async function findReachable(
  ctx: Context,
  newest: Session | undefined,
  earliestMs: number,
  timeoutMs: number,
  transaction: ClientSession,
): Promise<Session[]> {
  if (!newest) return [];
  if (earliestMs >= newest.started_at.getTime()) return [newest];
  const { key, org_id } = newest;
  const reachMs = earliestMs - timeoutMs;
  const after = await sessionRows(ctx)
    .find(onShard(ctx, { key, started_at: { $gte: dateAt(reachMs) } }, { org_id }), { session: transaction })
    .toArray();
  return [...(await findLastBefore(ctx, newest, reachMs, transaction)), ...after];
}

/** Sessions of a key never overlap: of those that begin before a moment only the last can reach to it. */
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
    fromMs: beforeMs - 2 * SIGNAL_AGE_MS.behind,
    toMs: beforeMs,
    after: null,
    limit: 1,
  });
  return rows;
}
