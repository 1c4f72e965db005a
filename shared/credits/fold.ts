import type { Bucket, LedgerRow } from './model.ts';

export interface RunningPeriod {
  startMs: number;
  endMs: number;
  limit: number;
  left: number;
}

export interface Lot {
  bucket: 'paid' | 'granted';
  left: number;
  /** Epoch ms; 0 is never. */
  expiresMs: number;
  id: string;
}

/** What the rows of an account add up to: what Redis holds of it. */
export interface AccountState {
  seq: number;
  /** Unix seconds of the last row. */
  at: number;
  window: RunningPeriod | null;
  month: RunningPeriod | null;
  /** Next to be spent first. */
  lots: Lot[];
}

export function emptyState(): AccountState {
  return { seq: 0, at: 0, window: null, month: null, lots: [] };
}

export type FoldedRow = Pick<
  LedgerRow,
  'seq' | 'delta' | 'bucket' | 'reason' | 'created_at' | 'period' | 'lot'
>;

/** Adds one row, in order of `seq`. Throws when one is missing. */
export function addRow(state: AccountState, row: FoldedRow): void {
  if (row.seq !== state.seq + 1) throw new Error(`Ledger row ${state.seq + 1} is missing before ${row.seq}`);
  state.seq = row.seq;
  state.at = row.created_at;
  if (row.bucket === 'window' || row.bucket === 'monthly') addToPeriod(state, row);
  else addToLots(state, row.bucket, row);
}

function addToPeriod(state: AccountState, row: FoldedRow): void {
  const name = row.bucket === 'window' ? 'window' : 'month';
  const held = state[name]?.left ?? 0;
  const next = row.period
    ? { startMs: row.period[0], endMs: row.period[1], limit: row.period[2] }
    : (state[name] ?? { startMs: 0, endMs: 0, limit: 0 });
  state[name] = { ...next, left: held + row.delta };
}

function addToLots(state: AccountState, bucket: Lot['bucket'], row: FoldedRow): void {
  const [id, expiresMs] = row.lot ?? [`row-${row.seq}`, 0];
  const lot = state.lots.find((candidate) => candidate.bucket === bucket && candidate.id === id);
  if (lot) lot.left += row.delta;
  else insertLot(state.lots, { bucket, left: row.delta, expiresMs, id });
  payDebts(state.lots.filter((candidate) => candidate.bucket === bucket));
  state.lots = state.lots.filter((candidate) => candidate.left !== 0);
}

/**
 * A repair names no lot, and what is spent after it may name one that the ledger does not know: such a lot owes, and the
 * others pay in the order in which they are spent. What nobody can pay stays owed, so that the rows still add up.
 */
function payDebts(lots: readonly Lot[]): void {
  for (const debtor of lots) {
    if (debtor.left >= 0) continue;
    for (const payer of lots) {
      const paid = Math.min(-debtor.left, Math.max(0, payer.left));
      payer.left -= paid;
      debtor.left += paid;
    }
  }
}

/** Soonest expiry first; of equals, the older first. As `insert_lot` in `state.lua`. */
function insertLot(lots: Lot[], lot: Lot): void {
  const later = lots.findIndex((other) => expiryOf(other) > expiryOf(lot));
  lots.splice(later === -1 ? lots.length : later, 0, lot);
}

function expiryOf(lot: Lot): number {
  return lot.expiresMs === 0 ? Number.POSITIVE_INFINITY : lot.expiresMs;
}

/** Credits by bucket as the rows have them: what is over or expired counts until a row says so. */
export function storedBalances(state: AccountState): Record<Bucket, number> {
  return {
    window: state.window?.left ?? 0,
    monthly: state.month?.left ?? 0,
    paid: sumLots(state.lots, 'paid'),
    granted: sumLots(state.lots, 'granted'),
  };
}

export function sumLots(lots: readonly Lot[], bucket: Lot['bucket']): number {
  return lots.filter((lot) => lot.bucket === bucket).reduce((sum, lot) => sum + lot.left, 0);
}
