import type { Context } from '../../../platform/context/context.ts';
import { few } from '../../../platform/context/few.ts';
import { sessionWorkRows } from '../../../wings/work/attribution/model.ts';
import type { SessionMatch } from './match-sessions.ts';

/** Sessions that are looked up by their ids. More are found by their times, each with its works. */
const FEW_SESSIONS = 500;

/** The filter of the sessions that had a call in one of these works; none where no work is asked for. */
export async function findWorked(
  ctx: Context,
  orgId: string,
  works: readonly string[] | undefined,
): Promise<Pick<SessionMatch, 'ids' | 'workedIn'>> {
  if (works === undefined) return {};
  const most = few(ctx, FEW_SESSIONS);
  const rows = await sessionWorkRows(ctx)
    .find({ work: { $in: [...works] }, org_id: orgId })
    .limit(10 * most)
    .project<{ session_id: string }>({ session_id: 1 })
    .toArray();
  const sessions = new Set(rows.map(({ session_id }) => session_id));
  const areAll = rows.length < 10 * most && sessions.size <= most;
  return areAll ? { ids: [...sessions] } : { workedIn: works };
}
