import type { Context } from '../../../platform/context/context.ts';
import { type AccountState, emptyState, type Lot } from '../meter/account-state.ts';
import { type LedgerRow, ledgerRows } from '../model.ts';

const ROWS_PER_READ = 5_000;
const FIELDS = { _id: 0, seq: 1, delta: 1, bucket: 1, reason: 1, created_at: 1, period: 1, lot: 1 } as const;

export type ReplayedRow = Pick<
  LedgerRow,
  'seq' | 'delta' | 'bucket' | 'reason' | 'created_at' | 'period' | 'lot'
>;

/** Replays the ledger of an account. Memory does not grow with its rows. Throws when a row is missing. */
export async function replayLedger(ctx: Context, accountId: string): Promise<AccountState> {
  const state = emptyState();
  for (;;) {
    const from = state.seq + 1;
    const rows = await ledgerRows(ctx)
      .find({ account_id: accountId, seq: { $gte: from, $lt: from + ROWS_PER_READ } }, { projection: FIELDS })
      .sort({ seq: 1 })
      .toArray();
    for (const row of rows) addRow(state, row as ReplayedRow);
    if (rows.length < ROWS_PER_READ) return state;
  }
}

/** Adds one row, in order of `seq`. Throws when one is missing. */
export function addRow(state: AccountState, row: ReplayedRow): void {
  if (row.seq !== state.seq + 1) throw new Error(`Ledger row ${state.seq + 1} is missing before ${row.seq}`);
  state.seq = row.seq;
  state.at = row.created_at;
  if (row.bucket === 'window' || row.bucket === 'monthly') addToPeriod(state, row);
  else addToLots(state, row.bucket, row);
}

function addToPeriod(state: AccountState, row: ReplayedRow): void {
  const name = row.bucket === 'window' ? 'window' : 'month';
  const held = state[name]?.left ?? 0;
  const next = row.period
    ? { startMs: row.period[0], endMs: row.period[1], limit: row.period[2] }
    : (state[name] ?? { startMs: 0, endMs: 0, limit: 0 });
  state[name] = { ...next, left: held + row.delta };
}

function addToLots(state: AccountState, bucket: Lot['bucket'], row: ReplayedRow): void {
  const [id, expiresMs] = row.lot ?? [`row-${row.seq}`, 0];
  const lot = state.lots.find((candidate) => candidate.bucket === bucket && candidate.id === id);
  if (lot) lot.left += row.delta;
  else insertLot(state.lots, { bucket, left: row.delta, expiresMs, id });
  settleNegativeLots(state.lots.filter((candidate) => candidate.bucket === bucket));
  state.lots = state.lots.filter((candidate) => candidate.left !== 0);
}

/**
 * A repair names no lot, and a spend after it may name one that the ledger does not know: such a lot is below 0, and the
 * others settle it in the order in which they are spent. A rest that none can settle stays, so that the rows still add up.
 */
function settleNegativeLots(lots: readonly Lot[]): void {
  for (const debtor of lots) {
    if (debtor.left >= 0) continue;
    for (const payer of lots) {
      const paid = Math.min(-debtor.left, Math.max(0, payer.left));
      payer.left -= paid;
      debtor.left += paid;
    }
  }
}

/** Soonest expiry first; of equals, the older first. As `insert_lot` in `prelude.lua`. */
function insertLot(lots: Lot[], lot: Lot): void {
  const later = lots.findIndex((other) => expiryOf(other) > expiryOf(lot));
  lots.splice(later === -1 ? lots.length : later, 0, lot);
}

function expiryOf(lot: Lot): number {
  return lot.expiresMs === 0 ? Number.POSITIVE_INFINITY : lot.expiresMs;
}
