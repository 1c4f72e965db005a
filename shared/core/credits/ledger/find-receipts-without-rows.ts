import type { Redis } from 'ioredis';
import { isCode, isStoreError } from '../../../platform/basics/errors.ts';
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
 * keys of Redis, and waits for entries that are on their way to the ledger. Those of a master that does not answer are left out.
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
    for (let cursor: string | null = ''; cursor !== null && cursor !== '0'; ) {
      const read = await readSome(ctx, node, cursor || '0');
      cursor = read?.next ?? null;
      if (read) yield read.given;
    }
  }
}

/** The next records of a master, or null of one that does not answer: its accounts are not compared either. */
async function readSome(ctx: Context, node: Redis, cursor: string) {
  try {
    const [next, keys] = await node.scan(cursor, 'MATCH', RECORDS_PATTERN, 'COUNT', BATCH);
    const values = await Promise.all(keys.map((key) => ctx.redis.producer.get(key)));
    const given = keys.flatMap((key, index) => {
      const [, , outcome = ''] = values[index]?.split('\n') ?? [];
      return isSpendPlace(outcome) ? [readRecordKey(key)] : [];
    });
    return { next, given };
  } catch (error) {
    if (!isStoreError(error)) throw error;
    ctx.log.warn({ err: error }, 'a Redis does not answer: its receipts are not looked for');
    return null;
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
