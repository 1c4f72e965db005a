import type { Bucket } from '../buckets.ts';
import type { CreditAccount } from '../model.ts';
import { encodeAnchor } from './anchor.ts';

/** A window or month that was opened. */
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

/** The sum of an account's ledger rows. Redis keeps it in a hash (`prelude.lua`). */
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

/** Credits by bucket as the rows have them: an expired lot or period counts until a row says that it has expired. */
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

/** The fields of an account that no spend changes: field, value, … The plan is first (`restore-account.lua`). */
export function identityFields({ plan, org_id, user_id, anchor }: CreditAccount): string[] {
  return ['plan', plan, 'anchor', encodeAnchor(anchor), 'org', org_id, 'user', user_id];
}

/** The fields of its state: field, value, … A bucket below 0 (after a repair that took too much) is written as empty. */
export function stateFields(state: AccountState): string[] {
  return [
    'seq',
    String(state.seq),
    'at',
    String(state.at),
    'w',
    encodePeriod(state.window),
    'm',
    encodePeriod(state.month),
    'lots',
    state.lots
      .filter((lot) => lot.left > 0)
      .map(encodeLot)
      .join(''),
  ];
}

/** The state in the fields `seq at w m lots`; null when there is no such account. */
export function decodeState(fields: readonly (string | null)[]): AccountState | null {
  const [seq, at, window, month, lots] = fields;
  if (seq === null || seq === undefined) return null;
  return {
    seq: Number(seq),
    at: Number(at),
    window: decodePeriod(window),
    month: decodePeriod(month),
    lots: decodeLots(lots ?? ''),
  };
}

function encodePeriod(period: RunningPeriod | null): string {
  if (!period) return '0,0,0,0';
  return `${period.startMs},${period.endMs},${period.limit},${Math.max(0, period.left)}`;
}

function decodePeriod(text: string | null | undefined): RunningPeriod | null {
  const [startMs = 0, endMs = 0, limit = 0, left = 0] = (text ?? '0').split(',').map(Number);
  return endMs === 0 ? null : { startMs, endMs, limit, left };
}

function encodeLot(lot: Lot): string {
  return `${lot.bucket === 'paid' ? 'p' : 'g'},${lot.left},${lot.expiresMs},${lot.id};`;
}

export function decodeLots(text: string): Lot[] {
  const parts = text.split(';').filter((part) => part !== '');
  return parts.map((part) => {
    const [kind, left, expires, id = ''] = part.split(',');
    return { bucket: kind === 'p' ? 'paid' : 'granted', left: Number(left), expiresMs: Number(expires), id };
  });
}
