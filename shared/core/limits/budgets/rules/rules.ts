import type { ClientSession } from 'mongoose';
import { commitPlan, type Decision } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { boundedCache } from '../../../../platform/context/per-context.ts';
import { currentShard, moveToOtherShard } from '../../../../platform/mongo/counter-shards.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { readOrganization } from '../../../accounts/organizations/read-organization.ts';
import {
  guardOrganizationRules,
  letChangesPass,
  type Relied,
  type RulesCounts,
  readOrganizationVersion,
} from '../../../accounts/organizations/versions.ts';
import {
  findSubscribers,
  type Subscriber,
  type Subscribers,
} from '../../../events/webhooks/endpoints/find-subscribers.ts';
import { readPriceBook } from '../../../pricing/rules/hook.ts';
import type { PriceBook } from '../../../pricing/rules/price-book.ts';
import { type BudgetRules, readBudgetRules } from './budget-rules.ts';

/** The settings and webhooks of an organization as of one version: what its transactions rely on. */
export interface OrganizationRules {
  version: number;
  /** How often contexts and boundaries had changed when this was read. */
  contexts: number;
  organization: Organization;
  subscribers: readonly Subscriber[];
  /** The prices that calls have by rules of the organization. */
  prices: PriceBook;
}

/** The rules by which an organization's signals count and its calls are checked, as of one version. */
export interface Rules extends OrganizationRules {
  limits: BudgetRules;
}

const cache = boundedCache<string, Rules>({ max: 10_000 });

/** Returns the rules that this process has read last, without reading them again. */
export function cachedRules(ctx: Context, orgId: string): Rules | undefined {
  return cache(ctx).get(orgId);
}

/** Caches rules. Call it when the transaction that read them has committed. A later count of contexts stays. */
export function cacheRules(ctx: Context, rules: Rules): void {
  const orgId = rules.organization._id;
  const known = cachedRules(ctx, orgId);
  const isLater = known?.version === rules.version && known.contexts > rules.contexts;
  cache(ctx).set(orgId, isLater ? { ...rules, contexts: known.contexts } : rules);
}

/** Returns the rules that this process has read last; it reads them when it has none. Throws `not_found`. */
export async function knownRules(ctx: Context, orgId: string): Promise<Rules> {
  const known = cachedRules(ctx, orgId);
  return known ?? inTransaction(ctx.db, (transaction) => readRules(ctx, orgId, currentShard(), transaction));
}

/**
 * Reads the rules as of the transaction's snapshot: one read while they have not changed. A transaction that relies on them
 * writes the row of the version in the same counter shard (`versions.ts`). Throws `not_found`.
 */
export async function readRules(
  ctx: Context,
  orgId: string,
  shard: number,
  transaction: ClientSession,
): Promise<Rules> {
  return readRulesOf(ctx, orgId, await readOrganizationVersion(ctx, orgId, shard, transaction), transaction);
}

/** Reads the rules at counts that the transaction has read, or that its touch proves. Throws `not_found`. */
export async function readRulesOf(
  ctx: Context,
  orgId: string,
  { version, contexts }: RulesCounts,
  transaction: ClientSession,
): Promise<Rules> {
  const known = cachedRules(ctx, orgId);
  if (known?.version === version) return { ...known, contexts };
  const organization = await readOrganization(ctx, orgId, transaction);
  const limits = await readBudgetRules(ctx, orgId, transaction);
  const { webhooks: subscribers } = await findSubscribers(ctx, orgId, transaction);
  const prices = await readPriceBook(ctx, organization, transaction);
  return { version, contexts, organization, subscribers, prices, limits };
}

/** One attempt at a change of an organization. */
export interface Attempt {
  rules: Rules;
  /** True when the rules are as this process has read them last, so that only the write of their version proves them. */
  isAssumed: boolean;
  isFirst: boolean;
  /** The counter shard in which it writes, also the row of the rules' version (`versions.ts`). */
  shard: number;
  waiting: Relied['waiting'];
}

interface Circumstances {
  /** Names the counter shard. An attempt that follows on a conflict with another process in it is in another. */
  shardOf: () => number;
  /** Rules that the first attempt takes without reading them. */
  assumed?: Rules | null;
  /** True for batches of signals: changes of the rules that wait go first. */
  letsChangesPass?: boolean;
}

/** Runs one change of an organization by its rules as one transaction, and caches the rules once it has committed. */
export async function commitByRules<Result>(
  ctx: Context,
  orgId: string,
  { shardOf, assumed, letsChangesPass: isBatch = false }: Circumstances,
  decide: (attempt: Attempt, transaction: ClientSession) => Promise<Decision<Result>>,
): Promise<Result> {
  let attempts = 0;
  let failedMs = 0;
  let last: Rules | null = null;
  const { rules, result } = await commitPlan(
    ctx,
    async (transaction) => {
      attempts += 1;
      const isFirst = attempts === 1;
      if (!isFirst) failedMs ||= performance.now();
      const isAssumed = isFirst && Boolean(assumed);
      const passed = isFirst || !isBatch ? null : await letChangesPass(ctx, orgId, shardOf(), failedMs);
      const rules =
        (isFirst && assumed) ||
        (passed
          ? await readRulesOf(ctx, orgId, passed, transaction)
          : await readRules(ctx, orgId, shardOf(), transaction));
      const isOverdue = passed?.isPassed === false;
      // Where no change has ended the last attempt, another process in the same shard may have.
      const isSame = last?.version === rules.version && last.contexts === rules.contexts;
      if (isSame && !isOverdue) moveToOtherShard();
      last = rules;
      const shard = shardOf();
      const waiting = isFirst ? 'first' : isOverdue ? 'overdue' : 'after';
      const decision = await decide({ rules, isAssumed, isFirst, shard, waiting }, transaction);
      return { ...decision, result: { rules, result: decision.result } };
    },
    { onDuplicateKey: 'retry' },
  );
  cacheRules(ctx, rules);
  return result;
}

/**
 * The subscribers of rules that were read in a counter shard, for events that their transaction raises. The guard is the write of
 * that shard, by which it conflicts with every change of the rules that it does not see.
 */
export function guardedSubscribers(
  { organization, subscribers }: OrganizationRules,
  shard: number,
): Subscribers {
  return { webhooks: subscribers, guard: [guardOrganizationRules(organization._id, shard)] };
}
