import type { Context } from '../../platform/context/context.ts';
import { shardKeys } from '../../platform/redis/keys.ts';
import { shardsWithEntries } from '../meter/look-at-shards.ts';
import { redisNow } from '../meter/redis-time.ts';
import { catchUpIfPossible } from './catch-up.ts';
import { findByKeys } from './find-by-keys.ts';
import { readStream } from './stream.ts';

/** A receipt that was given: by its account and the hash of its idempotency key. */
export interface GivenReceipt {
  account_id: string;
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
  const { entries } = await readStream(ctx, shard, { after: undefined, most: BATCH });
  const oldEnoughMs = (await redisNow(ctx, shard)) - ON_ITS_WAY_MS;
  const given = entries.flatMap(({ streamId, rows }) => {
    const { account_id, idk, receipt } = rows.at(-1) ?? {};
    const isDue = Number(streamId.split('-')[0]) <= oldEnoughMs;
    return isDue && account_id && idk && receipt ? [{ account_id, idk }] : [];
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
    for (const accountId of new Set(candidates.map(({ account_id }) => account_id)))
      await catchUpIfPossible(ctx, accountId);
    unplaced.push(...(await withoutRows(ctx, candidates)));
  }
  return unplaced;
}

async function* readRecords(ctx: Context): AsyncGenerator<GivenReceipt[]> {
  const { producer } = ctx.redis;
  const nodes = 'nodes' in producer ? producer.nodes('master') : [producer];
  const pattern = shardKeys(0).epoch.replace('c00', 'c[0-9][0-9]').replace('epoch', 'record:*');
  for (const node of nodes) {
    for (let cursor = ''; cursor !== '0'; ) {
      const [next, keys] = await node.scan(cursor || '0', 'MATCH', pattern, 'COUNT', BATCH);
      cursor = next;
      const values = await Promise.all(keys.map((key) => producer.get(key)));
      // A spend's outcome is two lines; the receipt is the second.
      yield keys.flatMap((key, index) => {
        const [, , account_id = '', idk = ''] = key.split(':');
        return values[index]?.split('\n').length === 4 ? [{ account_id, idk }] : [];
      });
    }
  }
}

async function withoutRows(ctx: Context, given: readonly GivenReceipt[]): Promise<GivenReceipt[]> {
  if (given.length === 0) return [];
  const rows = await findByKeys(ctx, given);
  const placed = new Set(rows.map(({ account_id, idk }) => `${account_id}:${idk}`));
  return given.filter(({ account_id, idk }) => !placed.has(`${account_id}:${idk}`));
}
