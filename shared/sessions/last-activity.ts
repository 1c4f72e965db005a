import { dateAt } from '../platform/basics/clock.ts';
import { inBatches } from '../platform/basics/in-batches.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import type { Context } from '../platform/context/context.ts';
import { matchingSessions } from './match-sessions.ts';
import { type Session, sessionRows } from './model.ts';

/** Sessions that began within this are read at once; a user who has none of them is looked up alone. */
const RECENT_MS = 7 * DAY_MS;
/** Users that are looked up at one time. */
const TOGETHER = 32;

/** The time of each user's newest signal, by user id. Users who have none are left out. */
export async function readLastActivity(
  ctx: Context,
  orgId: string,
  userIds: readonly string[],
): Promise<Map<string, Date>> {
  const since = { $gte: dateAt(ctx.clock.now() - RECENT_MS) };
  const recent = await sessionRows(ctx)
    .aggregate<{ _id: string; at: Date }>([
      ...matchingSessions(orgId, {}, { started_at: since }),
      { $group: { _id: '$user_id', at: { $max: '$last_activity_at' } } },
    ])
    .toArray();
  const known = new Map(recent.map(({ _id, at }) => [_id, at]));
  const others = userIds.filter((userId) => !known.has(userId));
  const read = async (userId: string) => [userId, await readNewest(ctx, orgId, userId)] as const;
  for await (const [userId, at] of inBatches(others, TOGETHER, read)) if (at) known.set(userId, at);
  return known;
}

async function readNewest(ctx: Context, orgId: string, userId: string): Promise<Date | null> {
  const [newest] = await sessionRows(ctx)
    .aggregate<Pick<Session, 'last_activity_at'>>([
      ...matchingSessions(orgId, { user_id: userId }, {}),
      { $sort: { started_at: -1 } },
      { $limit: 1 },
      { $project: { last_activity_at: 1 } },
    ])
    .toArray();
  return newest?.last_activity_at ?? null;
}
