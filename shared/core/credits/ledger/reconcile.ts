import type { Context } from '../../../platform/context/context.ts';
import { organizationRows } from '../../accounts/organizations/model.ts';
import { BUCKETS, type Bucket } from '../buckets.ts';
import { type AccountRecord, readAccount } from '../meter/account-record.ts';
import { storedBalances } from '../meter/account-state.ts';
import { applyPlan } from '../meter/apply-plan.ts';
import { changeCredits } from '../meter/change-credits.ts';
import { allAccounts, workOnAccounts } from '../meter/work-on-accounts.ts';
import { creditDrift, creditPlansRepaired } from '../metrics.ts';
import { type CreditAccount, creditAccountRows, ledgerRows } from '../model.ts';
import { catchUp } from './catch-up.ts';
import { ensureAccount } from './ensure-account.ts';
import { countReceiptsWithoutRows } from './find-receipts-without-rows.ts';

export interface Drift {
  account_id: string;
  /** Balance minus sum of the ledger, by bucket; only what is not 0. */
  drift: Partial<Record<Bucket, number>>;
  /** Rows that are missing below the last one. */
  missing_rows: number;
}

export interface Reconciliation {
  accounts: number;
  /** Those of them that were not compared: their shard is not open, is stalled, or does not answer. */
  unchecked: number;
  drifted: Drift[];
  repaired: number;
  /** Accounts that were on another plan than their organization, and are on it now. */
  plans: number;
  /** Receipts that were given and have no row in the ledger: 0 when they were not looked for. */
  receipts_without_rows: number;
}

/** Accounts that are compared at the same time. */
const BATCH = 8;

/**
 * Compares every balance with the sum of its ledger and counts rows against `seq`. With `records` it also looks for a row
 * of every answer of the last 48 h that Redis holds. Repairs nothing of that unless `repair` is asked for: then a
 * `credit.adjust` row makes a ledger add up to its balance. Changes that were cut short are always completed: an account that
 * is not on the plan of its organization is put on it, and one that never reached Redis gets there.
 */
export async function reconcileCredits(
  ctx: Context,
  options: { repair: boolean; records?: boolean; onProgress?: (done: number, total: number) => void },
): Promise<Reconciliation> {
  const result: Reconciliation = {
    accounts: 0,
    unchecked: 0,
    drifted: [],
    repaired: 0,
    plans: 0,
    receipts_without_rows: options.records ? await countReceiptsWithoutRows(ctx) : 0,
  };
  const plans = await readPlansOfOrganizations(ctx);
  const total = options.onProgress ? await creditAccountRows(ctx).countDocuments({}) : 0;
  const compare = async (account: CreditAccount): Promise<void> => {
    const record = await readAccount(ctx, account._id);
    const plan = plans.get(account.org_id);
    if (plan !== undefined && differs(plan, account, record) && (await applyPlan(ctx, account)))
      result.plans += 1;
    const drift = await findDrift(ctx, account._id, record);
    // It never reached Redis: the process that made it died on the way.
    if (!record && !drift && plan !== undefined) await ensureAccount(ctx, account);
    if (record && drift && options.repair && (await repair(ctx, record, drift))) result.repaired += 1;
    if (drift) result.drifted.push(drift);
    result.accounts += 1;
    options.onProgress?.(result.accounts, total);
  };
  const skipped = await workOnAccounts(allAccounts(ctx), BATCH, compare);
  result.unchecked = skipped.accounts;
  result.accounts += skipped.accounts;
  report(ctx, result);
  return result;
}

function report(ctx: Context, result: Reconciliation): void {
  const { drifted, plans, unchecked, receipts_without_rows: receipts } = result;
  creditDrift(ctx).set(drifted.length);
  creditPlansRepaired(ctx).inc(plans);
  for (const drift of drifted) ctx.log.error({ ...drift }, 'a ledger does not add up to its balance');
  if (unchecked > 0)
    ctx.log.warn(
      { accounts: unchecked },
      'accounts were not compared: their shards are not open or are stalled',
    );
  if (receipts > 0) ctx.log.error({ receipts }, 'receipts were given that have no ledger row');
}

function differs(plan: string, account: CreditAccount, record: AccountRecord | null): boolean {
  return account.plan !== plan || (record !== null && record.plan !== plan);
}

/** `applyPlan` reads the plan again, so a later change is not missed. */
async function readPlansOfOrganizations(ctx: Context): Promise<Map<string, string>> {
  const organizations = await organizationRows(ctx)
    .find({}, { projection: { plan: 1 } })
    .toArray();
  return new Map(organizations.map(({ _id, plan }) => [_id, plan]));
}

/** Throws when the ledger cannot be brought up to the balance: what waits in a stream is no drift. */
async function findDrift(
  ctx: Context,
  accountId: string,
  record: AccountRecord | null,
): Promise<Drift | null> {
  if (!record) {
    // One that has no rows never reached Redis; any other `governor rebuild` brings back.
    const isLost = await ledgerRows(ctx).findOne({ account_id: accountId }, { projection: { _id: 1 } });
    return isLost ? { account_id: accountId, drift: {}, missing_rows: 0 } : null;
  }
  await catchUp(ctx, accountId);
  const { seq } = record.state;
  const sums = await sumLedger(ctx, accountId, seq);
  const balances = storedBalances(record.state);
  const off = BUCKETS.map((bucket) => [bucket, balances[bucket] - (sums.byBucket.get(bucket) ?? 0)] as const);
  const drift = Object.fromEntries(off.filter(([, difference]) => difference !== 0));
  const missing = seq - sums.rows;
  if (Object.keys(drift).length === 0 && missing === 0) return null;
  return { account_id: accountId, drift, missing_rows: missing };
}

async function sumLedger(ctx: Context, accountId: string, seq: number) {
  const groups = await ledgerRows(ctx)
    .aggregate<{ _id: Bucket; sum: number; rows: number }>([
      { $match: { account_id: accountId, seq: { $gte: 1, $lte: seq } } },
      { $group: { _id: '$bucket', sum: { $sum: '$delta' }, rows: { $sum: 1 } } },
    ])
    .toArray();
  return {
    byBucket: new Map(groups.map((group) => [group._id, group.sum])),
    rows: groups.reduce((total, group) => total + group.rows, 0),
  };
}

/**
 * Repairs what is off with an account, unless it has changed since the comparison, as by another repair. Returns whether it
 * did: rows that are missing stay missing.
 */
async function repair(ctx: Context, { state }: AccountRecord, { account_id, drift }: Drift) {
  const rows = Object.entries(drift).flat();
  if (rows.length === 0) return false;
  const args = [state.seq, ...rows];
  const { did } = await changeCredits(ctx, { accountId: account_id, command: 'adjust', args });
  await catchUp(ctx, account_id);
  return did === 'done';
}
