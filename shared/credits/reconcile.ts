import { organizationRows } from '../organizations/model.ts';
import type { Context } from '../platform/context/context.ts';
import { shardOf } from '../platform/redis/keys.ts';
import { changeCredits } from './change.ts';
import { storedBalances } from './fold.ts';
import { putOnPlan } from './follow-plan.ts';
import { creditDrift, creditPlansRepaired } from './metrics.ts';
import { BUCKETS, type Bucket, type CreditAccount, creditAccountRows, ledgerRows } from './model.ts';
import { projectLedger } from './project-ledger.ts';
import { type AccountRecord, readAccount } from './read-balance.ts';
import { catchUp } from './read-ledger.ts';

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
  drifted: Drift[];
  repaired: number;
  /** Accounts that were on another plan than their organization, and are on it now. */
  plans: number;
}

const PARALLEL = 8;

/**
 * Holds every balance against the sum of its ledger, and counts rows against `seq`. Repairs nothing of that unless
 * `repair` is asked for: then a `credit.adjust` row makes a ledger add up to its balance. An account that is not on the
 * plan of its organization, because a change of it was cut short, is put on it always.
 */
export async function reconcileCredits(ctx: Context, options: { repair: boolean }): Promise<Reconciliation> {
  const result: Reconciliation = { accounts: 0, drifted: [], repaired: 0, plans: 0 };
  let batch: Promise<Drift | null>[] = [];
  const settle = async () => {
    for (const drift of await Promise.all(batch)) if (drift) result.drifted.push(drift);
    batch = [];
  };
  const plans = await readPlansOfOrganizations(ctx);
  const check = async (account: CreditAccount): Promise<Drift | null> => {
    const record = await readAccount(ctx, account._id);
    const plan = plans.get(account.org_id);
    if (plan !== undefined && isOff(plan, account, record) && (await putOnPlan(ctx, account)))
      result.plans += 1;
    return findDrift(ctx, account._id, record);
  };
  for await (const account of creditAccountRows(ctx).find({})) {
    result.accounts += 1;
    batch.push(check(account));
    if (batch.length >= PARALLEL) await settle();
  }
  await settle();
  creditDrift(ctx).set(result.drifted.length);
  creditPlansRepaired(ctx).inc(result.plans);
  for (const drift of result.drifted) {
    ctx.log.error({ ...drift }, 'a ledger does not add up to its balance');
    if (options.repair) result.repaired += await repair(ctx, drift);
  }
  return result;
}

function isOff(plan: string, account: CreditAccount, record: AccountRecord | null): boolean {
  return account.plan !== plan || (record !== null && record.plan !== plan);
}

/** What it may have missed meanwhile `putOnPlan` reads again. */
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
    // Either it never reached Redis, and nothing was spent from it, or `governor rebuild` brings it back.
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

async function repair(ctx: Context, { account_id: accountId, drift }: Drift): Promise<number> {
  for (const [bucket, delta] of Object.entries(drift)) {
    await changeCredits(ctx, { accountId, idk: '', fingerprint: '', operation: ['adjust', bucket, delta] });
  }
  await projectLedger(ctx, [shardOf(accountId)]);
  return Object.keys(drift).length > 0 ? 1 : 0;
}
