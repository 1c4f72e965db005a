import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { type DueRow, dueRows } from '../../../platform/due/model.ts';
import { endSessionJob, type OpenSession } from './jobs.ts';

/** The ids of an organization's open sessions: each has a due row, which its own transaction inserts and deletes. */
export async function findOpen(
  ctx: Context,
  orgId: string,
  { limit = 0, transaction }: { limit?: number; transaction?: ClientSession } = {},
): Promise<string[]> {
  const rows = await dueRows(ctx)
    .find({ kind: endSessionJob.kind, org_id: orgId }, transaction ? { session: transaction } : {})
    .limit(limit)
    .project<DueRow & OpenSession>({ session_id: 1 })
    .toArray();
  return rows.map(({ session_id }) => session_id);
}
