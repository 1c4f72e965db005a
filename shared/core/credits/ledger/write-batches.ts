import type { ClientSession } from 'mongoose';
import { isDuplicateKey, isStoreError } from '../../../platform/basics/errors.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { ledgerRowsWritten } from '../metrics.ts';
import { type LedgerRow, ledgerRows } from '../model.ts';
import { type Fence, Fenced, planRaise, readFences } from './fence.ts';
import { planCreditEvents } from './plan-credit-events.ts';
import { findLateRepeats, type LateRepeat, reverseLateRepeats } from './reverse-late-repeats.ts';
import type { StreamEntry } from './stream.ts';

export interface ShardBatch {
  shard: number;
  fence: Fence;
  entries: StreamEntry[];
}

export interface Written {
  batches: ShardBatch[];
  /** Entries that are in the ledger and must come again all the same: a late repeat that is not reversed yet. */
  waiting: Set<StreamEntry>;
  stalled: Map<number, Error>;
}

/** Writes these batches, or those of them that can be written: no shard holds up another. */
export async function writeBatches(ctx: Context, batches: readonly ShardBatch[]): Promise<Written> {
  const written: Written = { batches: [], waiting: new Set(), stalled: new Map() };
  await writePart(ctx, batches, written);
  return written;
}

async function writePart(ctx: Context, batches: readonly ShardBatch[], written: Written): Promise<void> {
  const [first] = batches;
  if (!first) return;
  try {
    for (const entry of await writeAll(ctx, batches)) written.waiting.add(entry);
    written.batches.push(...batches);
  } catch (error) {
    if (error instanceof Fenced) return writePart(ctx, await findUnmoved(ctx, batches), written);
    if (isStoreError(error) || !(error instanceof Error)) throw error;
    if (batches.length === 1) {
      written.stalled.set(first.shard, error);
      return;
    }
    const middle = batches.length >> 1;
    await writePart(ctx, batches.slice(0, middle), written);
    await writePart(ctx, batches.slice(middle), written);
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
  const rows = entries.flatMap((entry) => entry.rows);
  try {
    const late = await commitRows(ctx, batches, async () => rows);
    ledgerRowsWritten(ctx).inc(rows.length);
    return await reverseLateRepeats(ctx, late);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Some of it is in the ledger already: a batch that was written and not taken out of its stream.
    const late = await commitRows(ctx, batches, (transaction) => missingRows(ctx, entries, transaction));
    return reverseLateRepeats(ctx, late);
  }
}

/** Commits rows of these batches, with the events that follow from them. Returns the late repeats. */
function commitRows(
  ctx: Context,
  batches: readonly ShardBatch[],
  rowsOf: (transaction: ClientSession) => Promise<LedgerRow[]>,
): Promise<LateRepeat[]> {
  const entries = batches.flatMap((batch) => batch.entries);
  return commitPlan(ctx, async (transaction) => {
    const raise = await planRaise(ctx, batches, transaction);
    const late = await findLateRepeats(ctx, entries, transaction);
    const rows = await rowsOf(transaction);
    // Not as writes of the plan: a thousand of those take half as long again, and twice the CPU.
    if (rows.length > 0) await ledgerRows(ctx).insertMany(rows, { session: transaction });
    const { writes, wakeUps } = await planCreditEvents(ctx, rows, transaction);
    return { writes: [...raise, ...writes], wakeUps, result: late };
  });
}

/** The rows of the entries that the ledger does not have. Throws for an entry whose place another row has. */
async function missingRows(ctx: Context, entries: readonly StreamEntry[], transaction: ClientSession) {
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

/** A receipt that the ledger has forgotten contradicts none. */
function isSameRow(known: LedgerRow, row: LedgerRow): boolean {
  const identifying = ['idk', 'fingerprint', 'delta', 'bucket'] as const;
  const isSame = identifying.every((field) => known[field] === row[field]);
  return isSame && (known.receipt ?? row.receipt) === row.receipt;
}
