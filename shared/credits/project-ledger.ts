import type { ClientSession } from 'mongoose';
import { touchDevices } from '../devices/touch-devices.ts';
import { DomainError, isDuplicateKey, isStoreError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { ALL_SHARDS, shardKeys } from '../platform/redis/keys.ts';
import { ledgerRowsWritten } from './metrics.ts';
import { type LedgerRow, ledgerFenceRows, ledgerRows, storedAnswerRows } from './model.ts';
import { isEarlier, type OutboxEntry } from './outbox.ts';
import { refundLateRepeat } from './refund.ts';
import { lengthsOf, readStream, shareOut } from './streams.ts';

/** A shard's entries, and the fence as it was before they were read. */
interface ShardBatch {
  shard: number;
  fence: Fence;
  entries: OutboxEntry[];
  /** Why the entry after these cannot be read. */
  problem: Error | null;
}

interface Fence {
  n: number;
  lastId: string;
}

/** Raised when another projector or a rebuild wrote to one of the shards meanwhile. */
class Fenced extends Error {}

/** What one round came to. */
export interface Round {
  /** Entries that were moved. */
  moved: number;
  /** Shards of which nothing was left to move. */
  drained: ReadonlySet<number>;
  /** By shard, the stream id up to which all is in the ledger now. */
  reached: ReadonlyMap<number, string>;
  /** Shards that stand still, and why: what was not moved stays in their streams. */
  stuck: ReadonlyMap<number, Error>;
}

/**
 * Moves what these shards' streams hold into the ledger, exactly once, and returns how many entries that were. Another
 * one that does the same at the same time makes one of the two return 0. Throws when nothing could be moved because an
 * entry cannot be read or written.
 */
export async function projectLedger(ctx: Context, shards: readonly number[]): Promise<number> {
  const { moved, stuck } = await projectRound(ctx, shards);
  const [problem] = stuck.values();
  if (moved === 0 && problem) throw problem;
  return moved;
}

/** As `projectLedger`, of each shard only what comes after the stream id that `after` has for it. */
export async function projectRound(
  ctx: Context,
  shards: readonly number[],
  after: ReadonlyMap<number, string> = new Map(),
): Promise<Round> {
  const shares = shareOut(await lengthsOf(ctx, shards));
  const batches = shares.size > 0 ? await readBatches(ctx, shares, after) : [];
  const written = await writeWhatGoes(
    ctx,
    batches.filter(({ entries }) => entries.length > 0),
  );
  const moved = await forget(ctx, written);
  if (moved > 0) await rememberDevices(ctx, written.batches);
  const unread = batches.flatMap(({ shard, problem }) => (problem ? [[shard, problem] as const] : []));
  const stuck = new Map([...unread, ...written.stuck]);
  const filled = new Set(batches.flatMap(({ shard, entries }) => (entries.length > 0 ? [shard] : [])));
  return {
    moved,
    drained: new Set(shards.filter((shard) => !filled.has(shard) && !stuck.has(shard))),
    reached: new Map(written.batches.map(({ shard, entries }) => [shard, entries.at(-1)?.streamId ?? '-'])),
    stuck,
  };
}

/**
 * Moves all that these shards' streams hold, while nothing is added to them. Returns the shards of which it could not,
 * and why.
 */
export async function drainStreams(ctx: Context, shards: readonly number[]): Promise<Map<number, Error>> {
  const stuck = new Map<number, Error>();
  const after = new Map<number, string>();
  let left = shards;
  while (left.length > 0) {
    const round = await projectRound(ctx, left, after);
    for (const [shard, problem] of round.stuck) stuck.set(shard, problem);
    for (const [shard, streamId] of round.reached) after.set(shard, streamId);
    left = left.filter((shard) => !round.drained.has(shard) && !stuck.has(shard));
  }
  return stuck;
}

async function readBatches(
  ctx: Context,
  shares: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, string>,
): Promise<ShardBatch[]> {
  const fences = await readFences(ctx, [...shares.keys()]);
  return Promise.all(
    [...shares].map(async ([shard, share]): Promise<ShardBatch> => {
      const found = await readStream(ctx, shard, { after: after.get(shard), most: share });
      return { shard, fence: fences.get(shard) ?? { n: 0, lastId: '0-0' }, ...found };
    }),
  );
}

/** When a device was last seen is a courtesy: losing it never stops the ledger. */
async function rememberDevices(ctx: Context, batches: readonly ShardBatch[]): Promise<void> {
  const rows = batches.flatMap((batch) => batch.entries.flatMap((entry) => entry.rows));
  const seen = rows.flatMap(({ device_id, created_at }) =>
    device_id === undefined ? [] : [{ device_id, at_ms: created_at * 1_000 }],
  );
  await touchDevices(ctx, seen).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'when devices were last seen was not kept'),
  );
}

/** Which shards have something to project. */
export async function shardsWithEntries(ctx: Context): Promise<number[]> {
  const lengths = await lengthsOf(ctx, ALL_SHARDS);
  return ALL_SHARDS.filter((shard) => (lengths.get(shard) ?? 0) > 0);
}

async function readFences(ctx: Context, shards: readonly number[]): Promise<Map<number, Fence>> {
  const rows = await ledgerFenceRows(ctx)
    .find({ _id: { $in: shards.map(fenceId) } })
    .toArray();
  const known = new Map(rows.map((row) => [Number(row._id), { n: row.n, lastId: row.last_id }]));
  const missing = shards.filter((shard) => !known.has(shard));
  await Promise.all(
    missing.map((shard) =>
      ledgerFenceRows(ctx).updateOne(
        { _id: fenceId(shard) },
        { $setOnInsert: { n: 0, last_id: '0-0' } },
        { upsert: true },
      ),
    ),
  );
  return known;
}

export function fenceId(shard: number): string {
  return String(shard).padStart(2, '0');
}

interface Written {
  batches: readonly ShardBatch[];
  /** Entries that are in the ledger and must come again all the same. */
  kept: ReadonlySet<OutboxEntry>;
  stuck: ReadonlyMap<number, Error>;
}

/** Writes these batches, or those of them that can be written: no shard holds up another. */
async function writeWhatGoes(ctx: Context, batches: readonly ShardBatch[]): Promise<Written> {
  const [first] = batches;
  if (!first) return { batches: [], kept: new Set(), stuck: new Map() };
  try {
    return { batches, kept: await writeBatches(ctx, batches), stuck: new Map() };
  } catch (error) {
    if (error instanceof Fenced) return writeWhatGoes(ctx, await findUnmoved(ctx, batches));
    if (isStoreError(error) || !(error instanceof Error)) throw error;
    if (batches.length === 1) return { batches: [], kept: new Set(), stuck: new Map([[first.shard, error]]) };
    const middle = batches.length >> 1;
    const left = await writeWhatGoes(ctx, batches.slice(0, middle));
    const right = await writeWhatGoes(ctx, batches.slice(middle));
    return {
      batches: [...left.batches, ...right.batches],
      kept: left.kept.union(right.kept),
      stuck: new Map([...left.stuck, ...right.stuck]),
    };
  }
}

/** Fewer than there were: those whose fence nobody has raised since it was read. */
async function findUnmoved(ctx: Context, batches: readonly ShardBatch[]): Promise<ShardBatch[]> {
  const fences = await readFences(
    ctx,
    batches.map(({ shard }) => shard),
  );
  const unmoved = batches.filter(({ shard, fence }) => (fences.get(shard)?.n ?? 0) === fence.n);
  return unmoved.length < batches.length ? unmoved : [];
}

/** Returns the entries that must come again. */
async function writeBatches(ctx: Context, batches: readonly ShardBatch[]): Promise<Set<OutboxEntry>> {
  const entries = batches.flatMap((batch) => batch.entries);
  try {
    await inTransaction(ctx.db, async (transaction) => {
      await raiseFences(ctx, batches, transaction);
      await insertEntries(ctx, entries, transaction);
    });
    ledgerRowsWritten(ctx).inc(entries.reduce((sum, entry) => sum + entry.rows.length, 0));
    return new Set();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Something of this is in the ledger already: a batch that was written but not forgotten, or a key used again.
    return writeCarefully(ctx, batches);
  }
}

async function raiseFences(
  ctx: Context,
  batches: readonly ShardBatch[],
  transaction: ClientSession,
): Promise<void> {
  const { matchedCount } = await ledgerFenceRows(ctx).bulkWrite(
    batches.map(({ shard, fence, entries }) => ({
      updateOne: {
        filter: { _id: fenceId(shard), n: fence.n },
        update: { $inc: { n: 1 }, $set: { last_id: later(fence.lastId, entries.at(-1)?.streamId) } },
      },
    })),
    { session: transaction },
  );
  if (matchedCount !== batches.length) throw new Fenced();
}

/** An older Redis that is projected once more does not take the ledger back. */
function later(known: string, read: string | undefined): string {
  return read !== undefined && isEarlier(known, read) ? read : known;
}

async function insertEntries(
  ctx: Context,
  entries: readonly OutboxEntry[],
  transaction: ClientSession,
): Promise<void> {
  const rows = entries.flatMap((entry) => entry.rows);
  const answers = entries.flatMap((entry) => entry.answer ?? []);
  if (rows.length > 0) await ledgerRows(ctx).insertMany(rows, { session: transaction });
  if (answers.length > 0) await storedAnswerRows(ctx).insertMany(answers, { session: transaction });
}

/** As `writeBatches`, after looking up what is there. */
async function writeCarefully(ctx: Context, batches: readonly ShardBatch[]): Promise<Set<OutboxEntry>> {
  const late: LateRepeat[] = [];
  await inTransaction(ctx.db, async (transaction) => {
    late.length = 0;
    await raiseFences(ctx, batches, transaction);
    for (const entry of batches.flatMap((batch) => batch.entries)) {
      const verdict = await compare(ctx, entry, transaction);
      if (verdict.late) late.push({ entry, row: verdict.late });
      if (!verdict.rows) continue;
      await ledgerRows(ctx).insertMany(verdict.rows, { session: transaction });
      if (entry.answer) {
        const { _id, ...answer } = entry.answer;
        await storedAnswerRows(ctx).updateOne(
          { _id },
          { $set: answer },
          { upsert: true, session: transaction },
        );
      }
    }
  });
  return refundLateRepeats(ctx, late);
}

interface LateRepeat {
  entry: OutboxEntry;
  row: LedgerRow;
}

/**
 * Returns the entries of those that cannot be taken back now. Their rows are in the ledger, so they hold nothing up: a
 * shard that is shut may open, and once it is open the entry comes again.
 */
async function refundLateRepeats(ctx: Context, late: readonly LateRepeat[]): Promise<Set<OutboxEntry>> {
  const kept = new Set<OutboxEntry>();
  for (const { entry, row } of late) {
    try {
      await refundLateRepeat(ctx, row);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      kept.add(entry);
      if (error.code !== 'rebuilding') ctx.log.warn({ err: error }, 'a late repeat waits to be taken back');
    }
  }
  return kept;
}

interface Verdict {
  /** What is to be written; null when it is there. */
  rows: LedgerRow[] | null;
  /** A spend whose key had been used for the same output before: it is taken back. */
  late: LedgerRow | null;
}

async function compare(ctx: Context, entry: OutboxEntry, transaction: ClientSession): Promise<Verdict> {
  const last = entry.rows.at(-1);
  if (!last) return { rows: null, late: null };
  const find = (filter: Record<string, unknown>) => ledgerRows(ctx).findOne(filter, { session: transaction });
  const atSeq = await find({ account_id: last.account_id, seq: last.seq });
  const first = last.idk === undefined ? null : await find({ _id: `${last.account_id}:${last.idk}` });
  // A key's first row has its plain id; the first row of each other output that it was used for names that.
  const isOther = first !== null && first.seq < last.seq && first.fingerprint !== last.fingerprint;
  const ownId = isOther ? `${last._id}:${last.fingerprint}` : last._id;
  const earlier = isOther ? await find({ _id: ownId }) : first;
  const isRepeat = earlier !== null && earlier.seq < last.seq;
  const written = { ...last, _id: isRepeat ? `${last._id}:${last.seq}` : ownId };
  const late = isRepeat && last.reason === 'receipt' ? written : null;
  if (!atSeq) return { rows: [...entry.rows.slice(0, -1), written], late };
  if (atSeq.idk !== last.idk || atSeq.delta !== last.delta || atSeq.bucket !== last.bucket) {
    ctx.log.error(
      { account_id: last.account_id, seq: last.seq },
      'an entry contradicts the ledger and is left out',
    );
    return { rows: null, late: null };
  }
  return { rows: null, late };
}

/** Returns how many entries were taken out of their streams. */
async function forget(ctx: Context, { batches, kept }: Written): Promise<number> {
  const forgotten = batches.map(async ({ shard, entries }) => {
    const ids = entries.filter((entry) => !kept.has(entry)).map(({ streamId }) => streamId);
    if (ids.length > 0) await ctx.redis.producer.xdel(shardKeys(shard).outbox, ...ids);
    return ids.length;
  });
  return (await Promise.all(forgotten)).reduce((sum, count) => sum + count, 0);
}
