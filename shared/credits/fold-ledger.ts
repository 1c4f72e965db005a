import type { Context } from '../platform/context/context.ts';
import { type AccountState, addRow, emptyState, type FoldedRow } from './fold.ts';
import { ledgerRows } from './model.ts';

const ROWS_A_READ = 5_000;
const FIELDS = { _id: 0, seq: 1, delta: 1, bucket: 1, reason: 1, created_at: 1, period: 1, lot: 1 } as const;

/** What an account's ledger adds up to. Memory does not grow with its rows. Throws when a row is missing. */
export async function foldLedger(ctx: Context, accountId: string): Promise<AccountState> {
  const state = emptyState();
  for (;;) {
    const from = state.seq + 1;
    const rows = await ledgerRows(ctx)
      .find({ account_id: accountId, seq: { $gte: from, $lt: from + ROWS_A_READ } }, { projection: FIELDS })
      .sort({ seq: 1 })
      .toArray();
    for (const row of rows) addRow(state, row as FoldedRow);
    if (rows.length < ROWS_A_READ) return state;
  }
}
