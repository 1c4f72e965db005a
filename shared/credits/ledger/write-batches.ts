import type { ClientSession } from 'mongoose';
import { isDuplicateKey, isStoreError } from '../../platform/basics/errors.ts';
import { wakeAll } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';
import { applyWrites } from '../../platform/mongo/writes.ts';
import { ledgerRowsWritten } from '../metrics.ts';
import { type LedgerRow, ledgerRows } from '../model.ts';
import { type Fence, Fenced, raiseFences, readFences } from './fence.ts';
import { planCreditEvents } from './plan-credit-events.ts';
import { findLateRepeats, type LateRepeat, reverseLateRepeats } from './reverse-late-repeats.ts';
import type { StreamEntry } from './stream-entry.ts';

/** Entries of one shard, and the fence as it was before they were read. */
export interface ShardBatch {
  shard: number;
  fence: Fence;
  entries: StreamEntry[];
}

export interface Written {
  batches: readonly ShardBatch[];
  /** Entries that are in the ledger and must come again all the same: a late repeat that is not reversed yet. */
  waiting: ReadonlySet<StreamEntry>;
  stuck: ReadonlyMap<number, Error>;
}

/** Writes these batches, or those of them that can be written: no shard holds up another. */
export async function writeBatches(ctx: Context, batches: readonly ShardBatch[]): Promise<Written> {
  const [first] = batches;
  if (!first) return { batches: [], waiting: new Set(), stuck: new Map() };
  try {
    return { batches, waiting: await writeAll(ctx, batches), stuck: new Map() };
  } catch (error) {
    if (error instanceof Fenced) return writeBatches(ctx, await findUnmoved(ctx, batches));
    if (isStoreError(error) || !(error instanceof Error)) throw error;
    if (batches.length === 1)
      return { batches: [], waiting: new Set(), stuck: new Map([[first.shard, error]]) };
    const middle = batches.length >> 1;
    const left = await writeBatches(ctx, batches.slice(0, middle));
    const right = await writeBatches(ctx, batches.slice(middle));
    return {
      batches: [...left.batches, ...right.batches],
      waiting: left.waiting.union(right.waiting),
      stuck: new Map([...left.stuck, ...right.stuck]),
    };
  }
}

/** The batches whose fence nobody has raised since it was read: fewer than there were. */
async function findUnmoved(ctx: Context, batches: readonly ShardBatch[]): Promise<ShardBatch[]> {
  const fences = await readFences(
    ctx,
    batches.map(({ shard }) => shard),
  );
  const unmoved = batches.filter(({ shard, fence }) => (fences.get(shard)?.n ?? 0) === fence.n);
  return unmoved.length < batches.length ? unmoved : [];
}

/** Writes all of it or nothing. Returns the entries that must come again. */
async function writeAll(ctx: Context, batches: readonly ShardBatch[]): Promise<ReadonlySet<StreamEntry>> {
  const entries = batches.flatMap((batch) => batch.entries);
  try {
    const late = await writeIn(ctx, batches, async () => entries.flatMap((entry) => entry.rows));
    ledgerRowsWritten(ctx).inc(entries.reduce((sum, entry) => sum + entry.rows.length, 0));
    return await reverseLateRepeats(ctx, late);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Something of this is in the ledger already: a batch that was written and not taken out of its stream.
    const late = await writeIn(ctx, batches, (transaction) => missingRows(ctx, entries, transaction));
    return reverseLateRepeats(ctx, late);
  }
}

async function writeIn(
  ctx: Context,
  batches: readonly ShardBatch[],
  rowsOf: (transaction: ClientSession) => Promise<LedgerRow[]>,
): Promise<LateRepeat[]> {
  const written = await inTransaction(ctx.db, async (transaction) => {
    const fences = batches.map(({ shard, fence, entries }) => ({
      shard,
      fence,
      lastId: entries.at(-1)?.streamId ?? '0-0',
    }));
    await raiseFences(ctx, fences, transaction);
    const entries = batches.flatMap((batch) => batch.entries);
    const late = await findLateRepeats(ctx, entries, transaction);
    const rows = await rowsOf(transaction);
    if (rows.length > 0) await ledgerRows(ctx).insertMany(rows, { session: transaction });
    const { writes, wakeUps } = await planCreditEvents(ctx, rows, transaction);
    await applyWrites(ctx, writes, transaction);
    return { late, wakeUps };
  });
  wakeAll(ctx, written.wakeUps);
  return written.late;
}

/** The rows of the entries that the ledger does not have. Throws for an entry whose place another row has. */
async function missingRows(
  ctx: Context,
  entries: readonly StreamEntry[],
  transaction: ClientSession,
): Promise<LedgerRow[]> {
  const missing: LedgerRow[] = [];
  for (const { rows, streamId } of entries) {
    const last = rows.at(-1);
    if (!last) continue;
    const { account_id, seq } = last;
    const known = await ledgerRows(ctx).findOne({ account_id, seq }, { session: transaction });
    if (!known) missing.push(...rows);
    else if (!isSameRow(known, last))
      throw new Error(
        `The stream's entry ${streamId} contradicts row ${seq} of ${account_id}: it stays there`,
      );
  }
  return missing;
}

function isSameRow(known: LedgerRow, { idk, fingerprint, delta, bucket, receipt }: LedgerRow): boolean {
  return (
    known.idk === idk &&
    known.fingerprint === fingerprint &&
    known.delta === delta &&
    known.bucket === bucket &&
    known.receipt === receipt
  );
}
