import { DomainError, isStoreError } from '../../platform/basics/errors.ts';
import { inBatches } from '../../platform/basics/in-batches.ts';
import { shardOf } from '../../platform/redis/keys.ts';
import type { CreditAccount } from './model.ts';

/** What of many accounts could not be worked on. */
export interface Skipped {
  accounts: number;
  /** Why the first of them could not. */
  why?: unknown;
}

/**
 * Works on accounts, `size` side by side, and yields the results. A shard that is not open, or whose Redis does not answer,
 * holds up no other: the rest of it is `skipped` without being tried. Throws whatever else `work` throws.
 */
export async function* workOnAccounts<Result>(
  accounts: Iterable<CreditAccount> | AsyncIterable<CreditAccount>,
  { size, skipped }: { size: number; skipped: Skipped },
  work: (account: CreditAccount) => Promise<Result>,
): AsyncGenerator<Result> {
  const closed = new Set<number>();
  const attempt = async (account: CreditAccount): Promise<{ result: Result } | null> => {
    const shard = shardOf(account._id);
    try {
      if (!closed.has(shard)) return { result: await work(account) };
    } catch (error) {
      if (!isClosed(error)) throw error;
      closed.add(shard);
      skipped.why ??= error;
    }
    skipped.accounts += 1;
    return null;
  };
  for await (const worked of inBatches(accounts, size, attempt)) if (worked) yield worked.result;
}

const CLOSED = new Set(['rebuilding', 'store_unavailable', 'outcome_unknown']);

function isClosed(error: unknown): boolean {
  return isStoreError(error) || (error instanceof DomainError && CLOSED.has(error.code));
}
