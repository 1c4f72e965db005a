import { DomainError, isStoreError } from '../../../platform/basics/errors.ts';
import { inBatches } from '../../../platform/basics/in-batches.ts';
import type { Context } from '../../../platform/context/context.ts';
import { shardOf } from '../../../platform/redis/keys.ts';
import { type CreditAccount, creditAccountRows } from '../model.ts';

/**
 * Every account, or every one of an organization. They come in pieces that are worked on within minutes: MongoDB closes a
 * cursor that waits ten minutes for the work on what it has read.
 */
export function allAccounts(ctx: Context, of: { org_id?: string } = {}): AsyncIterable<CreditAccount> {
  return creditAccountRows(ctx).find(of, { batchSize: 1_000 });
}

export interface Skipped {
  accounts: number;
  why?: unknown;
}

/**
 * Works on accounts, `size` side by side. A shard that is not open, or whose Redis does not answer, does not hold up the
 * others: the rest of it is skipped without being tried. Throws every other error of `work`.
 */
export async function workOnAccounts(
  accounts: Iterable<CreditAccount> | AsyncIterable<CreditAccount>,
  size: number,
  work: (account: CreditAccount) => Promise<unknown>,
): Promise<Skipped> {
  const closed = new Set<number>();
  const skipped: Skipped = { accounts: 0 };
  const attempt = async (account: CreditAccount): Promise<void> => {
    const shard = shardOf(account._id);
    try {
      if (!closed.has(shard)) return void (await work(account));
    } catch (error) {
      if (!isClosed(error)) throw error;
      closed.add(shard);
      skipped.why ??= error;
    }
    skipped.accounts += 1;
  };
  for await (const _ of inBatches(accounts, size, attempt));
  return skipped;
}

const CLOSED = new Set(['rebuilding', 'store_unavailable', 'outcome_unknown']);

function isClosed(error: unknown): boolean {
  return isStoreError(error) || (error instanceof DomainError && CLOSED.has(error.code));
}
