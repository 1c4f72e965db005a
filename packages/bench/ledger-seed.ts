import { deviceRows } from '../../shared/core/accounts/devices/model.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { fenceId } from '../../shared/core/credits/ledger/fence.ts';
import { RECORD_KEPT_S } from '../../shared/core/credits/meter/idempotency.ts';
import { plansOf } from '../../shared/core/credits/meter/plans.ts';
import {
  type CreditAccount,
  creditAccountRows,
  deviceTokenRows,
  type LedgerRow,
  ledgerFenceRows,
  ledgerRows,
} from '../../shared/core/credits/model.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { ALL_SHARDS } from '../../shared/platform/redis/keys.ts';
import { openWallet, spendFrom, type Wallet } from './ledger-history.ts';

const PLAN = 'free';
const DAY_MS = 86_400_000;
/** So that more than a tenth of the rows are younger than the 48 h for which answers are kept. */
const DAYS = 12;
/** Spends that follow each other closely; then there is a pause. */
const BURST = 40;
const BURST_GAP_MS = 15_000;
const ROWS_A_WRITE = 10_000;

export interface Sizes {
  rows: number;
  accounts: number;
  /** Rows of one of the accounts. */
  big: number;
}

export interface Seeded {
  /** The first one is the big one. */
  wallets: Wallet[];
  rows: number;
  answers: number;
}

/** Members with accounts, devices and whole histories, written in the order of time across all accounts. */
export async function seedLedger(
  ctx: Context,
  { rows, accounts, big }: Sizes,
  receipts: readonly string[],
): Promise<Seeded> {
  const endMs = systemClock.now() - 60_000;
  const wallets = await openWallets(ctx, accounts, endMs - DAYS * DAY_MS);
  const small = Math.max(1, Math.floor((rows - big) / Math.max(1, accounts - 1)));
  const targets = wallets.map((_, index) => (index === 0 ? big : small));
  const seeded: Seeded = { wallets, rows: 0, answers: 0 };
  let batch: LedgerRow[] = [];
  const write = async () => {
    seeded.rows += batch.length;
    seeded.answers += addReceipts(batch, receipts);
    if (batch.length > 0) await ledgerRows(ctx).insertMany(batch, { ordered: false });
    batch = [];
  };
  for (let round = 1; round <= small; round += 1) {
    for (const [index, wallet] of wallets.entries()) {
      const target = targets[index] ?? 0;
      while (wallet.seq < (target * round) / small) {
        batch.push(...spendFrom(wallet, timeOf(wallet.seq, target, endMs)));
      }
    }
    if (batch.length >= ROWS_A_WRITE) await write();
  }
  await write();
  return seeded;
}

/** Says of each shard that the ledger has all that it had until now. */
export async function fenceLedger(ctx: Context): Promise<void> {
  const last_id = `${systemClock.now()}-0`;
  await ledgerFenceRows(ctx).insertMany(
    ALL_SHARDS.map((shard) => ({ _id: fenceId(shard), n: 1, last_id, epoch: '' })),
  );
}

/** Bursts spread evenly over the days. */
function timeOf(seq: number, target: number, endMs: number): number {
  const spacing = (DAYS * DAY_MS) / Math.ceil(target / BURST);
  const gap = Math.min(BURST_GAP_MS, spacing / BURST);
  return Math.floor(endMs - DAYS * DAY_MS + Math.floor(seq / BURST) * spacing + (seq % BURST) * gap);
}

async function openWallets(ctx: Context, count: number, createdMs: number): Promise<Wallet[]> {
  const { _id: orgId } = await createOrganization(ctx, { name: 'Bench', plan: PLAN });
  const createdAt = new Date(createdMs);
  const wallets = Array.from({ length: count }, () => {
    const id = newId('usr');
    const anchor = { day: createdAt.getUTCDate(), time: '00:00:00', timezone: 'UTC' };
    const account: CreditAccount = {
      _id: id,
      org_id: orgId,
      user_id: id,
      plan: PLAN,
      anchor,
      created_at: createdAt,
    };
    return openWallet(account, newId('dev'), plansOf(ctx)[PLAN]);
  });
  const iss = ctx.config.oidcIssuer ?? '';
  await memberRows(ctx).insertMany(wallets.map((wallet) => memberOf(wallet, iss)));
  await creditAccountRows(ctx).insertMany(wallets.map(({ account }) => account));
  await deviceRows(ctx).insertMany(wallets.map(deviceOf));
  await deviceTokenRows(ctx).insertMany(wallets.map(tokenOf));
  return wallets;
}

function memberOf({ account }: Wallet, iss: string) {
  const { _id, org_id, user_id, created_at } = account;
  const idp = { iss, sub: _id };
  const role = 'member' as const;
  return {
    _id,
    org_id,
    user_id,
    email: null,
    name: null,
    role,
    teams: [],
    idp,
    created_at,
    removed_at: null,
  };
}

function deviceOf({ account, deviceId }: Wallet) {
  return {
    _id: deviceId,
    account_id: account._id,
    org_id: account.org_id,
    device_id: deviceId,
    name: null,
    public_key: null,
    status: 'active' as const,
    created_at: account.created_at,
    revoked_at: null,
  };
}

function tokenOf({ account, deviceId }: Wallet) {
  return {
    _id: deviceId,
    account_id: account._id,
    token_id: newId('dev'),
    token_hmac: 'ab'.repeat(32),
    revoked_at: null,
    last_seen_at: null,
  };
}

/** Gives each spend its receipt. Returns how many of them Redis will still have to answer to a repeat. */
function addReceipts(rows: readonly LedgerRow[], receipts: readonly string[]): number {
  const oldestS = systemClock.now() / 1_000 - RECORD_KEPT_S;
  const spends = rows.filter(({ idk }) => idk !== undefined);
  for (const row of spends)
    Object.assign(row, { receipt: receipts[row.seq % receipts.length], balance: [0, 0, row.seq, 0] });
  return spends.filter(({ created_at }) => created_at > oldestS).length;
}
