import type { ClientSession } from 'mongoose';
import type { z } from 'zod';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { divideHalfEven, usd4 } from '../../../core/pricing/money.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import { type PullRequest, pullRequestRows } from '../pull-requests/model.ts';
import { type Costs, readCosts, readCostsOfUser } from './read-costs.ts';
import { totalOf } from './sum-works.ts';
import type { pullRequestSummaryView } from './view.ts';

export interface MergedFilter {
  repository?: string | undefined;
  /** Epoch ms; `merged_at` in [fromMs, toMs). */
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

/** Pull requests of one summary. */
const MOST_MERGED = 10_000;

/**
 * The cost of the pull requests that were merged in a range: exact sums, rounded last. For one user those that it has calls on, at
 * its own cost. More than 10,000 are `invalid_request`.
 */
export async function summarizeMerged(
  ctx: Context,
  { _id: orgId }: Organization,
  { userId, filter }: { userId: string | null; filter: MergedFilter },
): Promise<z.output<typeof pullRequestSummaryView>> {
  const { rows, costs } = await inTransaction(ctx.db, async (transaction) => {
    if (userId === null) {
      const found = await findMerged(ctx, orgId, filter, transaction);
      return { rows: found, costs: await readCosts(ctx, { orgId, userId }, found, transaction) };
    }
    const own = await readCostsOfUser(ctx, { orgId, userId }, transaction);
    return { ...own, rows: own.rows.filter((row) => isMerged(row, filter)) };
  });
  return summaryOf(rows, costs);
}

type Merged = Pick<PullRequest, '_id' | 'head'>;

async function findMerged(
  ctx: Context,
  orgId: string,
  filter: MergedFilter,
  transaction: ClientSession,
): Promise<Merged[]> {
  const { repository, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = filter;
  const merged_at = { $gte: dateAt(fromMs), $lt: dateAt(Math.min(toMs, 8.64e15)) };
  const rows = await pullRequestRows(ctx)
    .aggregate<Merged>(
      [
        { $match: { org_id: orgId, merged_at } },
        ...(repository === undefined ? [] : [{ $match: { repository } }]),
        { $limit: MOST_MERGED + 1 },
        { $project: { head: 1 } },
      ],
      { session: transaction },
    )
    .toArray();
  if (rows.length <= MOST_MERGED) return rows;
  throw new DomainError(
    'invalid_request',
    `More than ${MOST_MERGED} pull requests were merged then: ask for a shorter range, or one repository.`,
  );
}

function isMerged({ merged_at, repository }: PullRequest, filter: MergedFilter): boolean {
  if (merged_at === null || (filter.repository !== undefined && repository !== filter.repository))
    return false;
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter;
  return merged_at.getTime() >= fromMs && merged_at.getTime() < toMs;
}

function summaryOf(rows: readonly Merged[], costs: Costs): z.output<typeof pullRequestSummaryView> {
  const sums = rows.map(({ _id }) => totalOf(costs.get(_id) ?? []));
  const nusd = sums.map(({ cost_nusd }) => cost_nusd).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const total = nusd.reduce((sum, cost) => sum + cost, 0n);
  const merged = rows.length;
  const middle = (nusd[Math.floor((merged - 1) / 2)] ?? 0n) + (nusd[Math.floor(merged / 2)] ?? 0n);
  return {
    merged,
    without_calls: sums.filter(({ signals }) => signals === 0).length,
    cost_usd: usd4(total),
    cost_per_merged_usd: merged === 0 ? null : quotient(total, BigInt(merged)),
    median_usd: merged === 0 ? null : quotient(middle, 2n),
  };
}

/** Nano-USD by a number, in US dollars with 4 decimals, rounded once. */
function quotient(nusd: bigint, by: bigint): number {
  return Number(divideHalfEven(nusd, by * 100_000n)) / 10_000;
}
