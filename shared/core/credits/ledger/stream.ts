import { z } from 'zod';
import type { Context } from '../../../platform/context/context.ts';
import { groupBySlot, shardKeys } from '../../../platform/redis/keys.ts';
import { runScript } from '../../../platform/redis/script.ts';
import { BUCKETS, REASONS } from '../buckets.ts';
import { loadMeterScript } from '../meter/call-meter.ts';
import { decodeBalance } from '../meter/idempotency.ts';
import { dataIdentity, type ShardState, shardStatus } from '../meter/shards.ts';
import { type LedgerRow, transactionId } from '../model.ts';

const script = loadMeterScript(new URL('read-streams.lua', import.meta.url));
const read = z.tuple([shardStatus, z.array(z.tuple([z.string(), z.array(z.string())]))]);
const reply = z.tuple([dataIdentity], read);

/** Entries of all shards together that one transaction takes. */
const BATCH = 1_000;
/** Rows per entry that fit. One of an account whose hundred lots expire has a hundred, and a month's end makes many such. */
const ROWS_PER_ENTRY = 10;
/** Shards that one call reads: each call costs, and a long one holds up spends. */
const READ_TOGETHER = 16;

/** An entry of a shard's ledger stream: everything that one script call changed, as ledger rows. */
export interface StreamEntry {
  streamId: string;
  rows: LedgerRow[];
}

/** How many entries of each shard a round takes: the same of all, and the surplus of short streams goes to long ones. */
export function allocate(states: readonly ShardState[]): Map<number, number> {
  const ascending = states.filter(({ length }) => length > 0).sort((one, other) => one.length - other.length);
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

/** The oldest entries of a shard, `most` of them, that come after a stream id. */
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
  const groups = groupBySlot(ctx.redis.producer, ranges, READ_TOGETHER);
  const reads = await Promise.all(groups.map((group) => readTogether(ctx, group)));
  return new Map(reads.flat());
}

async function readTogether(
  ctx: Context,
  ranges: readonly StreamRange[],
): Promise<[shard: number, StreamRead][]> {
  const keys = ranges.map(({ shard }) => shardKeys(shard)).flatMap(({ epoch, stream }) => [epoch, stream]);
  const args = ranges.flatMap(({ after, most }) => [after === undefined ? '-' : `(${after}`, most]);
  const [identity, ...reads] = reply.parse(await runScript(ctx.redis.producer, script, keys, args));
  return reads.map(([status, found], index) => {
    const { shard, most } = ranges[index] ?? { shard: 0, most: 0 };
    const { entries, problem } = readEntries(found);
    const fitting = withRows(entries, most * ROWS_PER_ENTRY);
    return [shard, { entries: fitting, problem, identity, isOpen: status === 'open' }];
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

/** Reads entries up to the first one that cannot be read, and says why that one cannot. */
function readEntries(found: readonly [string, string[]][]): Pick<StreamRead, 'entries' | 'problem'> {
  const entries: StreamEntry[] = [];
  for (const each of found) {
    try {
      entries.push(readEntry(each));
    } catch (cause) {
      return { entries, problem: new Error(`The stream's entry ${each[0]} cannot be read`, { cause }) };
    }
  }
  return { entries, problem: null };
}

const integer = z.int();
const changes = z.array(
  // A newer release may add fields: they are kept.
  z.looseObject({
    bucket: z.enum(BUCKETS),
    delta: integer,
    reason: z.enum(REASONS),
    period: z.tuple([integer, integer, integer]).optional(),
    lot: z.tuple([z.string(), integer]).optional(),
  }),
);

/** Reads one entry. One that only marks a rebuild has no rows. Throws for one that this release cannot read. */
export function readEntry([streamId, fields]: [string, string[]]): StreamEntry {
  const entry: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2)
    entry[fields[index] ?? ''] = fields[index + 1] ?? '';
  if (entry.account === undefined) return { streamId, rows: [] };
  const { account } = entry;
  const seq = integer.parse(Number(entry.seq));
  const createdAt = integer.parse(Number(entry.at));
  const found = changes.parse(JSON.parse(entry.rows ?? '[]'));
  const rows = found.map(({ period, lot, ...change }, index): LedgerRow => {
    const isLast = index === found.length - 1;
    return {
      ...change,
      _id: transactionId(account, seq + index),
      account_id: account,
      seq: seq + index,
      created_at: createdAt,
      ...(isLast ? lastFields(entry) : {}),
      ...(period ? { period } : {}),
      ...(lot ? { lot } : {}),
    };
  });
  return { streamId, rows };
}

/** The fields of the whole entry, which its last row has: the one that an idempotency key asked for. */
function lastFields({ idk, fingerprint = '', device, receipt, balance: left, over }: Record<string, string>) {
  const named = BUCKETS.filter((bucket) => over?.split(',').includes(bucket));
  const balance = left ? { balance: decodeBalance(left), ...(named.length > 0 ? { over: named } : {}) } : {};
  if (!idk) return balance;
  return { idk, fingerprint, ...(device && receipt ? { device_id: device, receipt } : {}), ...balance };
}

/** True when a stream id comes before another. They are `ms-counter`, both of any length. */
export function isEarlier(left: string, right: string): boolean {
  const [leftMs = 0n, leftCount = 0n] = left.split('-').map(BigInt);
  const [rightMs = 0n, rightCount = 0n] = right.split('-').map(BigInt);
  return leftMs === rightMs ? leftCount < rightCount : leftMs < rightMs;
}

/** Takes entries out of their streams. */
export async function deleteEntries(
  ctx: Context,
  byShard: ReadonlyMap<number, readonly string[]>,
): Promise<void> {
  const client = ctx.redis.producer;
  const deleteTogether = async (group: readonly (readonly [number, readonly string[]])[]) => {
    const pipeline = client.pipeline();
    for (const [shard, ids] of group) pipeline.xdel(shardKeys(shard).stream, ...ids);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  };
  await Promise.all(groupBySlot(client, [...byShard]).map(deleteTogether));
}
