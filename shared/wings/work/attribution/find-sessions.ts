import type { WorkedMatch } from '../../../core/calls/sessions/dimension.ts';
import type { Context } from '../../../platform/context/context.ts';
import { few } from '../../../platform/context/few.ts';
import { sessionWorkRows } from './model.ts';

/** Sessions that are looked up by their ids. More are found by their times, each with its works. */
const FEW_SESSIONS = 500;

/** The filter of the sessions that had a call in one of these works. */
export async function findSessions(
  ctx: Context,
  orgId: string,
  works: readonly string[],
): Promise<WorkedMatch> {
  const most = few(ctx, FEW_SESSIONS);
  const rows = await sessionWorkRows(ctx)
    .find({ work: { $in: [...works] }, org_id: orgId })
    .limit(10 * most)
    .project<{ session_id: string }>({ session_id: 1 })
    .toArray();
  const sessions = new Set(rows.map(({ session_id }) => session_id));
  const areAll = rows.length < 10 * most && sessions.size <= most;
  return areAll ? { ids: [...sessions] } : { having: havingWorked(orgId, works) };
}

function havingWorked(orgId: string, works: readonly string[]): Record<string, unknown>[] {
  const as = 'worked';
  return [
    {
      $lookup: {
        from: sessionWorkRows.collectionName,
        localField: '_id',
        foreignField: 'session_id',
        as,
        pipeline: [{ $match: { org_id: orgId } }],
      },
    },
    { $match: { [`${as}.work`]: { $in: [...works] } } },
    { $unset: as },
  ];
}
