import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { type LedgerFence, ledgerFenceRows } from '../model.ts';
import { isEarlier } from './stream.ts';

/** A shard's fence as it was before its stream was read. */
export type Fence = Omit<LedgerFence, '_id'>;

/** The fence of a shard that nobody has written yet. */
export const NEW_FENCE: Fence = { n: 0, last_id: '0-0', epoch: '' };

/** Raised when another projector or a rebuild wrote to one of the shards meanwhile. */
export class Fenced extends Error {}

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

/**
 * The writes that raise the fences of shards whose entries are written in this transaction. Throws `Fenced` when one is not
 * as it was read. One that is raised meanwhile is a write conflict: then the transaction runs again, and is fenced.
 */
export async function planRaise(
  ctx: Context,
  batches: readonly { shard: number; fence: Fence; entries: readonly { streamId: string }[] }[],
  transaction: ClientSession,
): Promise<Write[]> {
  const ids = batches.map(({ shard }) => fenceId(shard));
  const rows = await ledgerFenceRows(ctx)
    .find({ _id: { $in: ids } }, { session: transaction })
    .toArray();
  const present = new Map(rows.map(({ _id, n }) => [_id, n]));
  if (batches.some(({ shard, fence }) => present.get(fenceId(shard)) !== fence.n)) throw new Fenced();
  return batches.map(({ shard, fence, entries }) => {
    const lastId = later(fence.last_id, entries.at(-1)?.streamId ?? '0-0');
    return updateRow(ledgerFenceRows, { _id: fenceId(shard) }, { $inc: { n: 1 }, $set: { last_id: lastId } });
  });
}

/**
 * Binds the ledger of shards to the data that they are about to be opened for. A projector that read a stream before can no
 * longer write its entries, and one that reads a stream of other data cannot write at all. `fences` were read before the
 * data: a shard that was bound to other data since then stays bound to it, because that process has seen a later Redis.
 * Returns the fences as they are then.
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
