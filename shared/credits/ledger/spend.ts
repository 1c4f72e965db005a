import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { decideSpend, type Spend, type SpendPlace } from '../meter/decide-spend.ts';
import { answerOf, RECORD_KEPT_S, type SpendOutcome } from '../meter/idempotency.ts';
import { ledgerRows } from '../model.ts';
import { readEntry } from './stream.ts';

/** A credit that was spent. */
export interface Spent {
  /** The answer's bytes: the same for every repeat. */
  answer: string;
  /** Until when a repeat finds them. Unix seconds. */
  expiresS: number;
  replayed: boolean;
}

/**
 * Spends one credit, once per idempotency key. A repeat is answered from its stream entry or from its ledger row. Throws as
 * `decideSpend`.
 */
export async function spendCredit(ctx: Context, spend: Spend): Promise<Spent> {
  const decision = await decideSpend(ctx, spend);
  const isRepeat = decision.code === 'replay';
  const outcome = isRepeat ? await readOutcome(ctx, spend.accountId, decision) : decision.outcome;
  return {
    answer: answerOf(outcome),
    expiresS: outcome.created_at + RECORD_KEPT_S,
    replayed: isRepeat,
  };
}

async function readOutcome(ctx: Context, accountId: string, place: SpendPlace): Promise<SpendOutcome> {
  const { entry, seq } = place;
  // The last row of an entry is the spend; resets and expiries come before it.
  const row =
    entry.length > 0
      ? readEntry(['', entry]).rows.at(-1)
      : await ledgerRows(ctx).findOne({ account_id: accountId, seq });
  if (row?.idk === place.idk && row.receipt !== undefined && row.balance !== undefined)
    return { receipt: row.receipt, bucket: row.bucket, balance: row.balance, created_at: row.created_at };
  ctx.log.error({ account_id: accountId, seq }, 'a receipt was given that has no ledger row');
  throw new DomainError('store_unavailable', 'The answer to this key cannot be read. Nothing was written.');
}
