import { z } from 'zod';
import type { Context } from '../../platform/context/context.ts';
import { shardKeys } from '../../platform/redis/keys.ts';
import { IDENTITY, loadScript, runScript } from '../../platform/redis/script.ts';
import { dataIdentity, EPOCH_STATE, epochStates } from '../meter/epoch.ts';
import type { ShardLook } from '../meter/look-at-shards.ts';
import { readEntries, type StreamEntry } from './stream-entry.ts';

const script = loadScript(IDENTITY, EPOCH_STATE, new URL('read-streams.lua', import.meta.url));
const read = z.tuple([epochStates, z.array(z.tuple([z.string(), z.array(z.string())]))]);
const reply = z.tuple([dataIdentity], read);

/** Entries of all shards together that one transaction takes. */
const BATCH = 1_000;
/** Rows per entry that fit. One of an account whose hundred lots expire has a hundred, and a month's end makes many such. */
const ROWS_PER_ENTRY = 10;
/** Shards that one call reads: each call costs, and a long one holds up spends. */
const READ_TOGETHER = 16;

/** How many entries of each shard a round takes: the same of all, and what one does not need goes to the others. */
export function shareOut(looks: readonly ShardLook[]): Map<number, number> {
  const ascending = looks.filter(({ length }) => length > 0).sort((one, other) => one.length - other.length);
  const shares = new Map<number, number>();
  let rest = BATCH;
  for (const { shard, length } of ascending) {
    const share = Math.min(length, Math.ceil(rest / (ascending.length - shares.size)));
    shares.set(shard, share);
    rest -= share;
  }
  return shares;
}

export interface StreamRead {
  entries: StreamEntry[];
  /** Why the entry after these cannot be read. */
  problem: Error | null;
  /** Identity of the data that they were read from, and whether the shard is open for it. */
  identity: string;
  isOpen: boolean;
}

/** What to read of a shard: the oldest entries, `most` of them, that come after a stream id. */
export interface StreamRange {
  shard: number;
  after: string | undefined;
  most: number;
}

/** The entries of each range up to one that cannot be read, by shard. In a cluster each shard is a call of its own. */
export async function readStreams(
  ctx: Context,
  ranges: readonly StreamRange[],
): Promise<Map<number, StreamRead>> {
  const together = ctx.redis.producer.isCluster ? 1 : READ_TOGETHER;
  const reads: ReturnType<typeof readTogether>[] = [];
  for (let from = 0; from < ranges.length; from += together)
    reads.push(readTogether(ctx, ranges.slice(from, from + together)));
  return new Map((await Promise.all(reads)).flat());
}

async function readTogether(
  ctx: Context,
  ranges: readonly StreamRange[],
): Promise<[shard: number, StreamRead][]> {
  const keys = ranges.flatMap(({ shard }) => {
    const { epoch, stream } = shardKeys(shard);
    return [epoch, stream];
  });
  const args = ranges.flatMap(({ after, most }) => [after === undefined ? '-' : `(${after}`, most]);
  const [identity, ...reads] = reply.parse(await runScript(ctx.redis.producer, script, keys, args));
  return reads.map(([state, found], index) => {
    const { shard, most } = ranges[index] ?? { shard: 0, most: 0 };
    const { entries, problem } = readEntries(found);
    const fitting = withRows(entries, most * ROWS_PER_ENTRY);
    return [shard, { entries: fitting, problem, identity, isOpen: state === 'open' }];
  });
}

/** The first entries, as many as have so many rows together, and one at least. */
function withRows(entries: StreamEntry[], most: number): StreamEntry[] {
  let rows = 0;
  const end = entries.findIndex((entry) => {
    rows += entry.rows.length;
    return rows > most;
  });
  return end === -1 ? entries : entries.slice(0, Math.max(1, end));
}

/** Takes entries out of their streams. */
export async function deleteEntries(
  ctx: Context,
  byShard: ReadonlyMap<number, readonly string[]>,
): Promise<void> {
  const client = ctx.redis.producer;
  const commands = [...byShard].map(([shard, ids]) => [shardKeys(shard).stream, ...ids] as const);
  if (client.isCluster) {
    await Promise.all(commands.map((command) => client.xdel(...command)));
    return;
  }
  // In one write, and with one fsync.
  const pipeline = client.pipeline();
  for (const command of commands) pipeline.xdel(...command);
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}
