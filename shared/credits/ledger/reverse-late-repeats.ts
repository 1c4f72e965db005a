import type { ClientSession } from 'mongoose';
import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { findByKeys } from './find-by-keys.ts';
import type { LedgerRow } from './model.ts';
import { type Resets, reverseLateRepeat } from './refund-spend.ts';
import type { StreamEntry } from './stream-entry.ts';

/** A spend whose key had been answered for the same output more than 48 h before. */
export interface LateRepeat {
  entry: StreamEntry;
  row: LedgerRow;
}

/** The late repeats among entries whose rows are in the ledger. */
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
  const keys = spends.map(({ row, idk }) => ({ account_id: row.account_id, idk }));
  const firstSeqs = new Map<string, number>();
  for (const row of await findByKeys(ctx, keys, transaction)) {
    const key = spendKey(row);
    firstSeqs.set(key, Math.min(row.seq, firstSeqs.get(key) ?? row.seq));
  }
  return spends.filter(({ row }) => (firstSeqs.get(spendKey(row)) ?? row.seq) < row.seq);
}

function spendKey({
  account_id,
  idk,
  fingerprint,
}: Pick<LedgerRow, 'account_id' | 'idk' | 'fingerprint'>): string {
  return `${account_id}:${idk}:${fingerprint}`;
}

/** Late repeats that are reversed at the same time: whoever repeats all keys of a day holds up the ledgers of others. */
const BATCH = 32;

/**
 * Reverses late repeats. Returns the entries of those that cannot be reversed now. Their rows are in the ledger, so they
 * hold nothing up: a shard that is shut may open, and once it is open the entry comes again.
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
  const newestFirst = late.toReversed();
  for (let from = 0; from < late.length; from += BATCH)
    await Promise.all(newestFirst.slice(from, from + BATCH).map(reverse));
  return waiting;
}
