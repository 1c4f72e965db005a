import type { ClientSession } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import { onShard } from '../platform/mongo/on-shard.ts';
import type { Draft } from '../signals/check-signal.ts';
import { signalRows } from '../signals/model.ts';

/** Where a recorded signal stands, and whose it is. */
export type Standing = Pick<Draft, 'user_id'> & { session_id: string };

/** By signal key, the signals that were recorded before. */
export async function findKnown(
  ctx: Context,
  orgId: string,
  drafts: readonly Draft[],
  transaction?: ClientSession,
): Promise<Map<string, Standing>> {
  const ids = drafts.map((draft) => draft._id);
  const rows = await signalRows(ctx)
    .find(onShard(ctx, { _id: { $in: ids } }, { org_id: orgId }), {
      projection: { session_id: 1, user_id: 1 },
      ...(transaction ? { session: transaction } : {}),
    })
    .toArray();
  return new Map(rows.map((row) => [row._id, row]));
}
