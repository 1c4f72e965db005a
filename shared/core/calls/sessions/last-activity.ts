import { dateAt } from '../../../platform/basics/clock.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import type { Context } from '../../../platform/context/context.ts';
import { inSteps } from '../../../platform/mongo/find-by-ids.ts';
import { matchingSessions } from './match-sessions.ts';
import { sessionRows } from './model.ts';

/** Sessions that began within this are read first: most users have one of them, and the others have few or none at all. */
const RECENT_MS = 7 * DAY_MS;

/** The time of each user's newest signal, by user id. Users who have none are left out. */
export async function readLastActivity(
  ctx: Context,
  orgId: string,
  userIds: readonly string[],
): Promise<Map<string, Date>> {
  const read = (condition: Record<string, unknown>) =>
    sessionRows(ctx)
      .aggregate<{ _id: string; at: Date }>([
        ...matchingSessions(orgId, {}, condition),
        { $group: { _id: '$user_id', at: { $max: '$last_activity_at' } } },
      ])
      .toArray();
  const recent = await read({ started_at: { $gte: dateAt(ctx.clock.now() - RECENT_MS) } });
  const known = new Map(recent.map(({ _id, at }) => [_id, at]));
  const others = userIds.filter((userId) => !known.has(userId));
  for (const { _id, at } of await inSteps(others, (some) => read({ user_id: { $in: some } })))
    known.set(_id, at);
  return known;
}
