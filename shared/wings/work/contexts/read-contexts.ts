import type { ClientSession, mongo } from 'mongoose';
import type { ContextView } from '../../../core/calls/sessions/dimension.ts';
import type { Session } from '../../../core/calls/sessions/model.ts';
import { isoTime } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type ContextRow, contextRows } from '../attribution/model.ts';

/** Contexts that are shown of a session: the last. */
const SHOWN_CONTEXTS = 200;

/** The last contexts of the client sessions of a session that apply to its user, in order. */
export async function readContexts(
  ctx: Context,
  { org_id, user_id, ended_at }: Session,
  clientSessions: readonly string[],
  transaction: ClientSession,
): Promise<ContextView[]> {
  if (clientSessions.length === 0) return [];
  const rows = await contextRows(ctx)
    .find(
      {
        client_session: { $in: [...clientSessions] },
        ts: { $lte: ended_at },
        org_id,
        user_id: { $in: [user_id, null] },
      } as mongo.Filter<ContextRow>,
      { session: transaction },
    )
    .sort({ ts: -1, _id: -1 })
    .limit(SHOWN_CONTEXTS)
    .toArray();
  return rows.reverse().map(viewContext);
}

export function viewContext(row: ContextRow): ContextView {
  const { client_session_id, ts, user_id, place, commit, worktree, renamed_from, task } = row;
  return {
    client_session_id,
    ts: isoTime(ts.getTime()),
    ...(user_id === undefined ? {} : { user_id }),
    ...(place === undefined ? {} : { repository: place?.repository ?? null }),
    ...(place?.branch ? { branch: place.branch.text } : {}),
    ...(commit === undefined ? {} : { commit }),
    ...(worktree ? { worktree: worktree.text } : {}),
    ...(renamed_from ? { renamed_from: renamed_from.text } : {}),
    ...(task === undefined ? {} : { task: task?.text ?? null }),
  };
}
