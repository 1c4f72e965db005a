import type { AccountState, Lot, RunningPeriod } from './fold.ts';
import type { Anchor, CreditAccount } from './model.ts';

/** How an account lies in its Redis hash: see `state.lua`. */

/** `31T14:23:05[Europe/Berlin]` */
export function encodeAnchor({ day, time, timezone }: Anchor): string {
  return `${day}T${time}[${timezone}]`;
}

export function decodeAnchor(text: string): Anchor {
  const [, day, time, timezone] = /^(\d+)T([\d:]+)\[(.+)\]$/.exec(text) ?? [];
  if (!day || !time || !timezone) throw new Error(`Not an anchor: ${text}`);
  return { day: Number(day), time, timezone };
}

/** What an account is, whatever it has spent: field, value, … The plan is first (`restore` in `account.lua`). */
export function identityFields({ plan, org_id, user_id, anchor }: CreditAccount): string[] {
  return ['plan', plan, 'anchor', encodeAnchor(anchor), 'org', org_id, 'user', user_id];
}

/** What its ledger adds up to: field, value, … A bucket that owes (after a repair that took too much) is empty. */
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

/** Of the fields `seq at w m lots`. Null when there is no such account. */
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
