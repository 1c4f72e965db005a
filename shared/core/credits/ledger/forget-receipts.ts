import { inBatches } from '../../../platform/basics/in-batches.ts';
import type { RetentionRule } from '../../../platform/mongo/retention.ts';
import { RECORD_KEPT_S } from '../meter/idempotency.ts';
import { type CreditAccount, creditAccountRows, ledgerRows } from '../model.ts';

type Stores = Parameters<RetentionRule['purge']>[0];

/** Accounts that are worked on side by side, and the rows of each that one update changes: nothing waits for it. */
const ACCOUNTS_AT_ONCE = 8;
const ROWS_AT_ONCE = 500;
/** Redis ends the keys by its clock, and workers count by theirs. */
const LEEWAY_S = 3_600;

/**
 * Takes the signed receipts out of the ledger an hour after no repeat can ask for them any more: the ledger is no receipt store. The
 * times of an account's rows never fall, so it keeps the `seq` of the last row that is done, and no index has to find them.
 */
export const receiptRetention: RetentionRule = {
  kind: 'receipts',
  collectionName: ledgerRows.collectionName,
  kept: `receipts ${(RECORD_KEPT_S + LEEWAY_S) / 3_600} hours, the rest for ever`,
  isPerOrganization: false,
  purge: async (ctx, nowMs) => {
    const beforeS = Math.floor(nowMs / 1_000) - RECORD_KEPT_S - LEEWAY_S;
    const accounts = creditAccountRows(ctx).find({}, { batchSize: 1_000 });
    const forget = (account: CreditAccount) => forgetReceipts(ctx, account, beforeS);
    let gone = 0;
    for await (const count of inBatches(accounts, ACCOUNTS_AT_ONCE, forget)) gone += count;
    return gone;
  },
};

/** Returns how many receipts of the account went. */
async function forgetReceipts(ctx: Stores, account: CreditAccount, beforeS: number): Promise<number> {
  const { _id, receipts_gone_through: done = 0 } = account;
  const next = { account_id: _id, seq: { $gt: done, $lte: done + ROWS_AT_ONCE } };
  const rows = await ledgerRows(ctx)
    .find(next, { projection: { _id: 0, seq: 1, created_at: 1 } })
    .sort({ seq: 1 })
    .toArray();
  const old = rows.filter(({ created_at }) => created_at < beforeS);
  const through = old.at(-1)?.seq;
  if (through === undefined) return 0;
  const range = { account_id: _id, seq: { $gt: done, $lte: through } };
  const { modifiedCount } = await ledgerRows(ctx).updateMany(range, { $unset: { receipt: '' } });
  await creditAccountRows(ctx).updateOne({ _id }, { $set: { receipts_gone_through: through } });
  if (old.length < ROWS_AT_ONCE) return modifiedCount;
  const later = { ...account, receipts_gone_through: through };
  return modifiedCount + (await forgetReceipts(ctx, later, beforeS));
}
