import { DomainError, isStoreError } from '../../platform/basics/errors.ts';
import { inBatches } from '../../platform/basics/in-batches.ts';
import type { Context } from '../../platform/context/context.ts';
import { shardOf } from '../../platform/redis/keys.ts';
import { type CreditAccount, creditAccountRows } from '../model.ts';

/**
 * Every account, or every one of an organization. They come in pieces that are worked on within minutes: MongoDB closes a
 * cursor that waits ten minutes for the work on what it has read.
 */
export function allAccounts(ctx: Context, of: { org_id?: string } = {}): AsyncIterable<CreditAccount> {
  return creditAccountRows(ctx).find(of, { batchSize: 1_000 });
}

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
