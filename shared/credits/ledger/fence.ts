import type { ClientSession } from 'mongoose';
import type { Context } from '../../platform/context/context.ts';
import { type LedgerFence, ledgerFenceRows } from '../model.ts';
import { isEarlier } from './stream-entry.ts';

/** A shard's fence as it was before its stream was read. */
export type Fence = Omit<LedgerFence, '_id'>;

/** The fence of a shard that nobody has written yet. */
export const NEW_FENCE: Fence = { n: 0, last_id: '0-0', epoch: '' };

/** Raised when another projector or a rebuild wrote to one of the shards meanwhile. */
export class Fenced extends Error {}

/** The primary key of a shard's fence. */
export function fenceId(shard: number): string {
  return String(shard).padStart(2, '0');
}

/** The fences of these shards; those that are missing are made. */
export async function readFences(ctx: Context, shards: readonly number[]): Promise<Map<number, Fence>> {
  const rows = await ledgerFenceRows(ctx)
    .find({ _id: { $in: shards.map(fenceId) } })
    .toArray();
  const known = new Map<number, Fence>(rows.map(({ _id, ...fence }) => [Number(_id), fence]));
  const missing = shards.filter((shard) => !known.has(shard));
  for (const shard of missing) known.set(shard, NEW_FENCE);
  await Promise.all(
    missing.map((shard) =>
      ledgerFenceRows(ctx).updateOne({ _id: fenceId(shard) }, { $setOnInsert: NEW_FENCE }, { upsert: true }),
    ),
  );
  return known;
}

/** Raises the fences of shards that are written. Throws `Fenced` when one is not as it was read. */
export async function raiseFences(
  ctx: Context,
  batches: readonly { shard: number; fence: Fence; lastId: string }[],
  transaction: ClientSession,
): Promise<void> {
  const { matchedCount } = await ledgerFenceRows(ctx).bulkWrite(
    batches.map(({ shard, fence, lastId }) => ({
      updateOne: {
        filter: { _id: fenceId(shard), n: fence.n },
        update: { $inc: { n: 1 }, $set: { last_id: later(fence.last_id, lastId) } },
      },
    })),
    { session: transaction },
  );
  if (matchedCount !== batches.length) throw new Fenced();
}

/**
 * Binds the ledger of shards to the data that they are about to be opened for. Whoever read a stream before cannot write
 * behind this any more, and whoever reads a stream of other data not at all. `fences` were read before the data was looked
 * at: what was bound to other data since then stays so, because whoever did it has seen a later Redis. Returns the fences
 * as they are then.
 */
export async function bindFences(
  ctx: Context,
  identities: ReadonlyMap<number, string>,
  fences: ReadonlyMap<number, Fence>,
): Promise<Map<number, Fence>> {
  await ledgerFenceRows(ctx).bulkWrite(
    [...identities].map(([shard, epoch]) => ({
      updateOne: {
        filter: { _id: fenceId(shard), epoch: fences.get(shard)?.epoch ?? '' },
        update: { $inc: { n: 1 }, $set: { epoch } },
      },
    })),
  );
  return readFences(ctx, [...identities.keys()]);
}

/** An older Redis that is projected once more does not take the ledger back. */
function later(known: string, read: string): string {
  return isEarlier(known, read) ? read : known;
}
