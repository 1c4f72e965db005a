import { organizationRows } from '../../organizations/model.ts';
import type { DomainError } from '../../platform/basics/errors.ts';
import { inBatches } from '../../platform/basics/in-batches.ts';
import type { Context } from '../../platform/context/context.ts';
import { storedBalances } from '../meter/account-state.ts';
import { allAccounts } from '../meter/all-accounts.ts';
import { applyPlan } from '../meter/apply-plan.ts';
import { changeCredits } from '../meter/change-credits.ts';
import { BUCKETS, type Bucket, type CreditAccount } from '../meter/model.ts';
import { type AccountRecord, readAccount } from '../meter/read-balance.ts';
import { unlessShut } from '../meter/unless-shut.ts';
import { catchUp, ifPossible } from './catch-up.ts';
import { ensureAccount } from './ensure-account.ts';
import { findUnplacedInStreams, findUnplacedRecords } from './find-unplaced-receipts.ts';
import { creditDrift, creditPlansRepaired, unplacedReceipts } from './metrics.ts';
import { ledgerRows } from './model.ts';

/** What is wrong with one account. */
export interface Drift {
  account_id: string;
  /** Balance minus sum of the ledger, by bucket; only what is not 0. */
  drift: Partial<Record<Bucket, number>>;
  /** Rows that are missing below the last one. */
  missing_rows: number;
}

export interface Reconciliation {
  accounts: number;
  /** Those of them that were not compared, because their shard is not open. */
  unchecked: number;
  drifted: Drift[];
  repaired: number;
  /** Accounts that were on another plan than their organization, and are on it now. */
  plans: number;
  /** Receipts that were given and have no row in the ledger. */
  receipts_without_rows: number;
}

/** Accounts that are compared at the same time. */
const BATCH = 8;

/**
 * Compares every balance with the sum of its ledger, counts rows against `seq`, and looks for receipts that have no row.
 * With `records` it looks at every answer of the last 48 h that Redis holds. Repairs nothing of that unless `repair` is asked for: then a `credit.adjust` row makes a ledger add up to its balance.
 * What was cut short is carried on always: an account that is not on the plan of its organization is put on it, and one
 * that never reached Redis gets there.
 */
export async function reconcileCredits(
  ctx: Context,
  options: { repair: boolean; records?: boolean },
): Promise<Reconciliation> {
  const result: Reconciliation = {
    accounts: 0,
    unchecked: 0,
    drifted: [],
    repaired: 0,
    plans: 0,
    receipts_without_rows: await countUnplacedReceipts(ctx, options.records === true),
  };
  const plans = await readPlansOfOrganizations(ctx);
  const shut: DomainError[] = [];
  const check = (account: CreditAccount) => unlessShut(shut, () => compare(account));
  const compare = async (account: CreditAccount): Promise<Drift | null> => {
    const record = await readAccount(ctx, account._id);
    const plan = plans.get(account.org_id);
    if (plan !== undefined && isOff(plan, account, record) && (await applyPlan(ctx, account)))
      result.plans += 1;
    const drift = await findDrift(ctx, account._id, record);
    // It never reached Redis: whoever made it died on the way.
    if (!record && !drift && plan !== undefined) await ifPossible(ensureAccount(ctx, account));
    return drift;
  };
  for await (const drift of inBatches(allAccounts(ctx), BATCH, check)) {
    result.accounts += 1;
    if (drift) result.drifted.push(drift);
  }
  result.unchecked = shut.length;
  report(ctx, result);
  if (options.repair)
    for (const { account_id } of result.drifted) result.repaired += await repair(ctx, account_id);
  return result;
}

async function countUnplacedReceipts(ctx: Context, withRecords: boolean): Promise<number> {
  const unplaced = [
    ...(await findUnplacedInStreams(ctx)),
    ...(withRecords ? await findUnplacedRecords(ctx) : []),
  ];
  return new Set(unplaced.map(({ idk }) => idk)).size;
}

function report(ctx: Context, result: Reconciliation): void {
  const { drifted, plans, unchecked, receipts_without_rows: unplaced } = result;
  creditDrift(ctx).set(drifted.length);
  creditPlansRepaired(ctx).inc(plans);
  unplacedReceipts(ctx).set(unplaced);
  for (const drift of drifted) ctx.log.error({ ...drift }, 'a ledger does not add up to its balance');
  if (unchecked > 0)
    ctx.log.warn({ accounts: unchecked }, 'accounts of shards that are not open were not compared');
  if (unplaced > 0) ctx.log.error({ receipts: unplaced }, 'receipts were given that have no ledger row');
}

function isOff(plan: string, account: CreditAccount, record: AccountRecord | null): boolean {
  return account.plan !== plan || (record !== null && record.plan !== plan);
}

/** What it may have missed meanwhile `applyPlan` reads again. */
async function readPlansOfOrganizations(ctx: Context): Promise<Map<string, string>> {
  const organizations = await organizationRows(ctx)
    .find({}, { projection: { plan: 1 } })
    .toArray();
  return new Map(organizations.map(({ _id, plan }) => [_id, plan]));
}

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
  await ifPossible(catchUp(ctx, accountId));
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
 * Repairs one account by what is off now, unless it changes meanwhile, as by another repair. What waits in a stream that
 * stands still is not off: a row for it would count it twice when it moves.
 */
async function repair(ctx: Context, accountId: string): Promise<number> {
  if (!(await ifPossible(catchUp(ctx, accountId)))) {
    ctx.log.warn({ account_id: accountId }, 'a ledger that is behind its stream is not repaired');
    return 0;
  }
  const record = await readAccount(ctx, accountId);
  const { drift = {} } = (await findDrift(ctx, accountId, record)) ?? {};
  const rows = Object.entries(drift).flat();
  if (!record || rows.length === 0) return 0;
  const args = [record.state.seq, ...rows];
  const { did } = await changeCredits(ctx, { accountId, command: 'adjust', args });
  await catchUp(ctx, accountId);
  return did === 'done' ? 1 : 0;
}
