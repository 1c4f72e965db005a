import { isCode } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { RECORDS_PATTERN, readRecordKey } from '../../platform/redis/keys.ts';
import { isSpendPlace } from '../meter/idempotency.ts';
import { shardsWithEntries } from '../meter/look-at-shards.ts';
import { redisNow } from '../meter/redis-time.ts';
import { catchUpShard } from './catch-up.ts';
import { ledgerRows } from './model.ts';
import { readStreams } from './stream.ts';

/** A receipt that was given: by its shard and the hash of its idempotency key. */
export interface GivenReceipt {
  shard: number;
  idk: string;
}

/** An entry is on its way to the ledger for this long. */
const ON_ITS_WAY_MS = 60_000;
/** Entries or records that are looked up together. */
const BATCH = 1_000;

/** The receipts among a stream's oldest entries that should have a ledger row by now, and have none. */
export async function findUnplacedInStreams(ctx: Context): Promise<GivenReceipt[]> {
  const waiting = await shardsWithEntries(ctx);
  const found = await Promise.all(waiting.map((shard) => findUnplacedInStream(ctx, shard)));
  return found.flat();
}

async function findUnplacedInStream(ctx: Context, shard: number): Promise<GivenReceipt[]> {
  const read = await readStreams(ctx, [{ shard, after: undefined, most: BATCH }]);
  const entries = read.get(shard)?.entries ?? [];
  const oldEnoughMs = (await redisNow(ctx, shard)) - ON_ITS_WAY_MS;
  const given = entries.flatMap(({ streamId, rows }) => {
    const { idk, receipt } = rows.at(-1) ?? {};
    const isDue = Number(streamId.split('-')[0]) <= oldEnoughMs;
    return isDue && idk && receipt ? [{ shard, idk }] : [];
  });
  return withoutRows(ctx, given);
}

/**
 * The receipts of the last 48 h that Redis would answer again and the ledger has no row of. It walks over all keys of
 * Redis. What is on its way to the ledger is waited for.
 */
export async function findUnplacedRecords(ctx: Context): Promise<GivenReceipt[]> {
  const unplaced: GivenReceipt[] = [];
  for await (const given of readRecords(ctx)) {
    const candidates = await withoutRows(ctx, given);
    for (const shard of new Set(candidates.map((candidate) => candidate.shard)))
      await catchUpIfPossible(ctx, shard);
    unplaced.push(...(await withoutRows(ctx, candidates)));
  }
  return unplaced;
}

/** What waits in a shard that stands still is looked for where the ledger ends. */
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
  const placed = new Set(rows.map(({ idk }) => idk));
  return given.filter(({ idk }) => !placed.has(idk));
}
