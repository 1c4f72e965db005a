import type { ClientSession } from 'mongoose';
import { DomainError } from '../../../platform/basics/errors.ts';
import { inBatches } from '../../../platform/basics/in-batches.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type LedgerRow, ledgerRows } from '../model.ts';
import { type Resets, reverseLateRepeat } from './refund-spend.ts';
import type { StreamEntry } from './stream.ts';

/** A spend whose key had been answered for the same output more than 48 h before. */
export interface LateRepeat {
  entry: StreamEntry;
  row: LedgerRow;
}

/**
 * The late repeats among entries: one seek per key, however long the ledger is. Before their rows are written it finds next
 * to nothing, so that nearly no row is read or sent.
 */
export async function findLateRepeats(
  ctx: Context,
  entries: readonly StreamEntry[],
  transaction: ClientSession,
): Promise<LateRepeat[]> {
  const spends = entries.flatMap((entry) => {
    const row = entry.rows.at(-1);
    return row?.reason === 'receipt' && row.idk !== undefined ? [{ entry, row, idk: row.idk }] : [];
  });
  if (spends.length === 0) return [];
  const idks = new Set(spends.map(({ idk }) => idk));
  const accounts = new Set(spends.map(({ row }) => row.account_id));
  const known = await ledgerRows(ctx)
    .aggregate<Pick<LedgerRow, 'account_id' | 'seq' | 'idk' | 'fingerprint'>>(
      [
        { $match: { idk: { $in: [...idks] } } },
        // It only names the shards to ask. In one stage with the keys it would scan (docs/stores.md).
        { $match: { account_id: { $in: [...accounts] } } },
        { $project: { _id: 0, account_id: 1, seq: 1, idk: 1, fingerprint: 1 } },
      ],
      { session: transaction },
    )
    .toArray();
  const firstSeqs = new Map<string, number>();
  for (const row of [...known, ...spends.map((spend) => spend.row)]) {
    const key = spendKey(row);
    firstSeqs.set(key, Math.min(row.seq, firstSeqs.get(key) ?? row.seq));
  }
  return spends.filter(({ row }) => (firstSeqs.get(spendKey(row)) ?? row.seq) < row.seq);
}

function spendKey({ account_id, idk, fingerprint }: Pick<LedgerRow, 'account_id' | 'idk' | 'fingerprint'>) {
  return `${account_id}:${idk}:${fingerprint}`;
}

/** Late repeats that are reversed at the same time: one account may repeat all keys of a day, and others wait for it. */
const BATCH = 32;

/**
 * Reverses late repeats. Returns the entries of those that cannot be reversed now. Their rows are in the ledger, so they
 * hold nothing up: a shard that is paused may open, and once it is open the entry comes again.
 */
export async function reverseLateRepeats(
  ctx: Context,
  late: readonly LateRepeat[],
): Promise<ReadonlySet<StreamEntry>> {
  const waiting = new Set<StreamEntry>();
  const resets: Resets = new Map();
  const reverse = async ({ entry, row }: LateRepeat) => {
    try {
      await reverseLateRepeat(ctx, row, resets);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      waiting.add(entry);
      if (error.code !== 'rebuilding') ctx.log.warn({ err: error }, 'a late repeat waits to be reversed');
    }
  };
  // The newest first, whose reset is that of most others.
  for await (const _ of inBatches(late.toReversed(), BATCH, reverse));
  return waiting;
}
