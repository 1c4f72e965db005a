import type { Context } from '../../platform/context/context.ts';
import { type CreditAccount, creditAccountRows } from './model.ts';

/**
 * Every account. They come in pieces that are worked on within minutes: MongoDB closes a cursor that waits ten minutes for
 * the work on what it has read.
 */
export function allAccounts(ctx: Context): AsyncIterable<CreditAccount> {
  return creditAccountRows(ctx).find({}, { batchSize: 1_000 });
}
