import type { ClientSession } from 'mongoose';
import type { Context } from '../context.ts';
import { touchDevices } from '../devices/touch-devices.ts';
import { isDuplicateKey } from '../errors.ts';
import { inTransaction, raw } from '../mongo.ts';
import { SHARDS, shardKeys } from '../redis/keys.ts';
import type { LedgerRow } from './model.ts';
import { isEarlier, type OutboxEntry, readEntry } from './outbox.ts';
import { redisNow } from './redis-time.ts';
import { refundLateRepeat } from './refund.ts';

/** Entries of all shards together that one transaction takes. */
const BATCH = 1_000;

/** A shard's entries, and the fence as it was before they were read. */
interface ShardBatch {
  shard: number;
  fence: Fence;
  entries: OutboxEntry[];
}

interface Fence {
  n: number;
  lastId: string;
}

/** Raised when another projector or a rebuild wrote to one of the shards meanwhile. */
class Fenced extends Error {}

/**
 * Moves what these shards' streams hold into the ledger, exactly once, and returns how many entries that were. Another
 * one that does the same at the same time makes one of the two return 0.
 */
export async function projectLedger(ctx: Context, shards: readonly number[]): Promise<number> {
  const fences = await readFences(ctx, shards);
  const share = Math.max(10, Math.floor(BATCH / shards.length));
  const batches = await Promise.all(
    shards.map(async (shard): Promise<ShardBatch> => {
      const entries = await ctx.redis.producer.xrange(shardKeys(shard).outbox, '-', '+', 'COUNT', share);
      return { shard, fence: fences.get(shard) ?? { n: 0, lastId: '0-0' }, entries: entries.map(readEntry) };
    }),
  );
  const filled = batches.filter((batch) => batch.entries.length > 0);
  if (filled.length === 0) return 0;
  await noteLag(ctx, filled);
  try {
    await writeBatches(ctx, filled);
  } catch (error) {
    if (error instanceof Fenced) return 0;
    throw error;
  }
  await forget(ctx, filled);
  const count = filled.reduce((sum, batch) => sum + batch.entries.length, 0);
  await rememberDevices(ctx, filled);
  return count;
}

/** A stream id begins with Redis' time. A time that cannot be had holds nothing up. */
async function noteLag(ctx: Context, batches: readonly ShardBatch[]): Promise<void> {
  const lags = batches.map(async ({ shard, entries }) => {
    const writtenMs = Number(entries[0]?.streamId.split('-')[0]);
    return (await redisNow(ctx, shard)) - writtenMs;
  });
  const longestMs = await Promise.all(lags).then(
    (all) => Math.max(0, ...all),
    () => null,
  );
  if (longestMs !== null) ctx.metrics.ledgerLag.set(longestMs / 1_000);
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
  const all = Array.from({ length: SHARDS }, (_, shard) => shard);
  const lengths = await Promise.all(all.map((shard) => ctx.redis.producer.xlen(shardKeys(shard).outbox)));
  return all.filter((shard) => (lengths[shard] ?? 0) > 0);
}

async function readFences(ctx: Context, shards: readonly number[]): Promise<Map<number, Fence>> {
  const rows = await ctx.db.ledgerFences.find({ _id: { $in: shards.map(fenceId) } }).lean();
  const known = new Map(rows.map((row) => [Number(row._id), { n: row.n, lastId: row.last_id }]));
  const missing = shards.filter((shard) => !known.has(shard));
  await Promise.all(
    missing.map((shard) =>
      ctx.db.ledgerFences.updateOne(
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

async function writeBatches(ctx: Context, batches: readonly ShardBatch[]): Promise<void> {
  const entries = batches.flatMap((batch) => batch.entries);
  try {
    await inTransaction(ctx.db, async (transaction) => {
      await raiseFences(ctx, batches, transaction);
      await insertEntries(ctx, entries, transaction);
    });
    ctx.metrics.ledgerRows.inc(entries.reduce((sum, entry) => sum + entry.rows.length, 0));
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Something of this is in the ledger already: a batch that was written but not forgotten, or a key used again.
    await writeCarefully(ctx, batches);
  }
}

async function raiseFences(
  ctx: Context,
  batches: readonly ShardBatch[],
  transaction: ClientSession,
): Promise<void> {
  const { matchedCount } = await raw(ctx.db.ledgerFences).bulkWrite(
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
  if (rows.length > 0) await raw(ctx.db.ledger).insertMany(rows, { session: transaction });
  if (answers.length > 0) await raw(ctx.db.storedAnswers).insertMany(answers, { session: transaction });
}

/** As `writeBatches`, after looking up what is there. */
async function writeCarefully(ctx: Context, batches: readonly ShardBatch[]): Promise<void> {
  const late: LedgerRow[] = [];
  await inTransaction(ctx.db, async (transaction) => {
    late.length = 0;
    await raiseFences(ctx, batches, transaction);
    for (const entry of batches.flatMap((batch) => batch.entries)) {
      const verdict = await compare(ctx, entry, transaction);
      if (verdict.late) late.push(verdict.late);
      if (!verdict.rows) continue;
      await raw(ctx.db.ledger).insertMany(verdict.rows, { session: transaction });
      if (entry.answer) {
        const { _id, ...answer } = entry.answer;
        await raw(ctx.db.storedAnswers).updateOne(
          { _id },
          { $set: answer },
          { upsert: true, session: transaction },
        );
      }
    }
  });
  for (const row of late) await refundLateRepeat(ctx, row);
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
  const find = (filter: Record<string, unknown>) =>
    ctx.db.ledger.findOne(filter).session(transaction).lean<LedgerRow>();
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

async function forget(ctx: Context, batches: readonly ShardBatch[]): Promise<void> {
  await Promise.all(
    batches.map(({ shard, entries }) =>
      ctx.redis.producer.xdel(shardKeys(shard).outbox, ...entries.map((entry) => entry.streamId)),
    ),
  );
}
