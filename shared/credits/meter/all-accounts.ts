import type { Context } from '../../platform/context/context.ts';
import { type CreditAccount, creditAccountRows } from './model.ts';

/**
 * Every account, or every one of an organization. They come in pieces that are worked on within minutes: MongoDB closes a
 * cursor that waits ten minutes for the work on what it has read.
 */
export function allAccounts(ctx: Context, of: { org_id?: string } = {}): AsyncIterable<CreditAccount> {
  return creditAccountRows(ctx).find(of, { batchSize: 1_000 });
}
