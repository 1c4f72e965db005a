import { isCode } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { RECORDS_PATTERN, readRecordKey } from '../../../platform/redis/keys.ts';
import { isSpendPlace } from '../meter/idempotency.ts';
import { ledgerRows } from '../model.ts';
import { catchUpShard } from './catch-up.ts';

/** A receipt that was given: by its shard and the hash of its idempotency key. */
interface GivenReceipt {
  shard: number;
  idk: string;
}

/** Records that are looked up together. */
const BATCH = 1_000;

/**
 * The number of receipts of the last 48 h that Redis would answer again and that have no row in the ledger. It scans all
 * keys of Redis, and waits for entries that are on their way to the ledger.
 */
export async function countReceiptsWithoutRows(ctx: Context): Promise<number> {
  const missing = new Set<string>();
  for await (const given of readRecords(ctx)) {
    const candidates = await withoutRows(ctx, given);
    for (const shard of new Set(candidates.map((candidate) => candidate.shard)))
      await catchUpIfPossible(ctx, shard);
    for (const { idk } of await withoutRows(ctx, candidates)) missing.add(idk);
  }
  return missing.size;
}

/** For a stalled shard, the rows that the ledger already has are compared. */
async function catchUpIfPossible(ctx: Context, shard: number): Promise<void> {
  try {
    await catchUpShard(ctx, shard);
  } catch (error) {
    if (!isCode(error, 'store_unavailable')) throw error;
  }
}

async function* readRecords(ctx: Context): AsyncGenerator<GivenReceipt[]> {
  const { producer } = ctx.redis;
  const nodes = 'nodes' in producer ? producer.nodes('master') : [producer];
  for (const node of nodes) {
    for (let cursor = ''; cursor !== '0'; ) {
      const [next, keys] = await node.scan(cursor || '0', 'MATCH', RECORDS_PATTERN, 'COUNT', BATCH);
      cursor = next;
      const values = await Promise.all(keys.map((key) => producer.get(key)));
      yield keys.flatMap((key, index) => {
        const [, , outcome = ''] = values[index]?.split('\n') ?? [];
        return isSpendPlace(outcome) ? [readRecordKey(key)] : [];
      });
    }
  }
}

async function withoutRows(ctx: Context, given: readonly GivenReceipt[]): Promise<GivenReceipt[]> {
  if (given.length === 0) return [];
  const idks = given.map(({ idk }) => idk);
  const rows = await ledgerRows(ctx)
    .find({ idk: { $in: idks } }, { projection: { _id: 0, idk: 1 } })
    .toArray();
  const known = new Set(rows.map(({ idk }) => idk));
  return given.filter(({ idk }) => !known.has(idk));
}
