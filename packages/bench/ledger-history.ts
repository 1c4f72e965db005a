import { randomBytes } from 'node:crypto';
import type { Bucket, Reason } from '../../shared/core/credits/buckets.ts';
import { monthAt } from '../../shared/core/credits/meter/anchor.ts';
import type { PlanCredits } from '../../shared/core/credits/meter/plans.ts';
import { type CreditAccount, type LedgerRow, transactionId } from '../../shared/core/credits/model.ts';

/** An account that is being spent from, as `consume.lua` would have it, and what its rows add up to so far. */
export interface Wallet {
  account: CreditAccount;
  deviceId: string;
  plan: PlanCredits;
  seq: number;
  sums: Record<Bucket, number>;
  windowEndMs: number;
  monthEndMs: number;
  lots: Lot[];
  bought: number;
}

interface Lot {
  bucket: 'paid' | 'granted';
  id: string;
  expiresMs: number;
  left: number;
}

type Change = Pick<LedgerRow, 'bucket' | 'delta' | 'reason' | 'period' | 'lot'>;

const LOT_CREDITS = 500;
const GRANT_LASTS_MS = 86_400_000;

export function openWallet(account: CreditAccount, deviceId: string, plan: PlanCredits): Wallet {
  const sums = { window: 0, monthly: 0, paid: 0, granted: 0 };
  return { account, deviceId, plan, seq: 0, sums, windowEndMs: 0, monthEndMs: 0, lots: [], bought: 0 };
}

/** The rows of the next spend, with the resets and expiries that are due, or of a purchase when nothing is left. */
export function spendFrom(wallet: Wallet, nowMs: number): LedgerRow[] {
  const rows: LedgerRow[] = [];
  const add = (change: Change, isKeyed: boolean) => rows.push(addRow(wallet, change, nowMs, isKeyed));
  if (nowMs >= wallet.windowEndMs) add(resetWindow(wallet, nowMs), false);
  if (nowMs >= wallet.monthEndMs) add(resetMonth(wallet, nowMs), false);
  for (const lot of wallet.lots.filter((each) => each.expiresMs !== 0 && each.expiresMs <= nowMs)) {
    wallet.lots.splice(wallet.lots.indexOf(lot), 1);
    add(lotChange(lot, -lot.left, 'credit.expire'), false);
  }
  const { window, monthly } = wallet.sums;
  if (window > 0) add({ bucket: 'window', delta: -1, reason: 'receipt' }, true);
  else if (monthly > 0) add({ bucket: 'monthly', delta: -1, reason: 'receipt' }, true);
  else if (wallet.lots.length > 0) add(spendLot(wallet), true);
  else add(buyLot(wallet, nowMs), true);
  return rows;
}

function resetWindow(wallet: Wallet, nowMs: number): Change {
  const { window_credits: limit, window_s } = wallet.plan;
  wallet.windowEndMs = nowMs + window_s * 1_000;
  const period: LedgerRow['period'] = [nowMs, wallet.windowEndMs, limit];
  return { bucket: 'window', delta: limit - wallet.sums.window, reason: 'window.reset', period };
}

function resetMonth(wallet: Wallet, nowMs: number): Change {
  const limit = wallet.plan.monthly_credits;
  const { startMs, endMs } = monthAt(wallet.account.anchor, nowMs);
  wallet.monthEndMs = endMs;
  const period: LedgerRow['period'] = [startMs, endMs, limit];
  return { bucket: 'monthly', delta: limit - wallet.sums.monthly, reason: 'monthly.reset', period };
}

/** Paid ones first. */
function spendLot(wallet: Wallet): Change {
  const lot = wallet.lots.find(({ bucket }) => bucket === 'paid') ?? wallet.lots[0];
  if (!lot) throw new Error('There is no lot');
  lot.left -= 1;
  if (lot.left === 0) wallet.lots.splice(wallet.lots.indexOf(lot), 1);
  return lotChange(lot, -1, 'receipt');
}

/** Paid credits that stay and granted ones that expire, in turn. */
function buyLot(wallet: Wallet, nowMs: number): Change {
  wallet.bought += 1;
  const id = `lot_${wallet.bought}`;
  const lot: Lot =
    wallet.bought % 2 === 1
      ? { bucket: 'paid', id, expiresMs: 0, left: LOT_CREDITS }
      : { bucket: 'granted', id, expiresMs: nowMs + GRANT_LASTS_MS, left: LOT_CREDITS };
  wallet.lots.push(lot);
  return lotChange(lot, LOT_CREDITS, lot.bucket === 'paid' ? 'credit.purchase' : 'credit.grant');
}

function lotChange({ bucket, id, expiresMs }: Lot, delta: number, reason: Reason): Change {
  return { bucket, delta, reason, lot: [id, expiresMs] };
}

function addRow(wallet: Wallet, change: Change, nowMs: number, isKeyed: boolean): LedgerRow {
  wallet.seq += 1;
  wallet.sums[change.bucket] += change.delta;
  const { _id } = wallet.account;
  const idk = isKeyed ? randomBytes(32).toString('base64url') : null;
  const keyed =
    idk === null
      ? {}
      : {
          idk,
          fingerprint: randomBytes(32).toString('base64url'),
          ...(change.reason === 'receipt' ? { device_id: wallet.deviceId } : {}),
        };
  return {
    _id: transactionId(_id, wallet.seq),
    account_id: _id,
    seq: wallet.seq,
    created_at: Math.floor(nowMs / 1_000),
    ...change,
    ...keyed,
  };
}
