import type { ClientSession } from 'mongoose';
import { commitPlan, type Decision } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { boundedCache } from '../../../../platform/context/per-context.ts';
import { currentShard, moveToOtherShard } from '../../../../platform/mongo/counter-shards.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { readOrganization } from '../../../accounts/organizations/read-organization.ts';
import { teamsByUser } from '../../../accounts/organizations/teams.ts';
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
import { filterText, type Matcher } from './filter.ts';
import { matcherOf } from './filtered-call.ts';
import { counterKey, scopeKey } from './keys.ts';
import { type Budget, budgetRows, type Counter, type PersonOverride, personOverrideRows } from './model.ts';
import { type Exceptions, exceptionsOf } from './people.ts';

/** The rules by which an organization's signals count and its calls are checked, as of one version. */
export interface Rules extends BudgetRules {
  version: number;
  /** How often contexts and boundaries had changed when this was read. */
  contexts: number;
  organization: Organization;
  subscribers: readonly Subscriber[];
}

/** The budgets of an organization, and the teams of its members if a budget counts a team. */
export interface BudgetRules {
  /** In the order in which they were made. */
  budgets: readonly RuledBudget[];
  /** The same counters by `scopeKey`, those together that count the same calls. */
  countedBy: ReadonlyMap<string, readonly CountedTogether[]>;
  /** The same budgets by `scopeKey`. */
  byScope: ReadonlyMap<string, readonly RuledBudget[]>;
  teamsOf: ReadonlyMap<string, readonly string[]>;
}

/** A budget with its place in the order, the key of its counter, and the calls that it counts. */
export interface RuledBudget {
  budget: Budget;
  place: number;
  counter: string;
  /** Null: it counts all calls of its scope. */
  matches: Matcher | null;
  /** By user; empty where the budget is no template. */
  exceptions: Exceptions;
}

/** The counters of one scope and one filter, by their keys: templates, or budgets that are none. */
export interface CountedTogether {
  matches: Matcher | null;
  isPerPerson: boolean;
  counters: ReadonlyMap<string, Counter>;
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
  const budgets = await budgetRows(ctx)
    .find({ org_id: orgId }, { session: transaction, batchSize: BUDGETS_PER_ANSWER })
    .toArray();
  const hasTeams = budgets.some(({ scope }) => scope === 'team');
  const teamsOf = hasTeams ? await teamsByUser(ctx, orgId, transaction) : new Map<string, string[]>();
  const hasTemplates = budgets.some(({ per }) => per);
  const overrides = hasTemplates ? await readOverrides(ctx, orgId, transaction) : [];
  const { webhooks: subscribers } = await findSubscribers(ctx, orgId, transaction);
  return { version, contexts, organization, ...arrangeBudgets(budgets, teamsOf, overrides), subscribers };
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

/** Decoding one answer is one turn of the event loop. */
const BUDGETS_PER_ANSWER = 200;
const OVERRIDES_PER_ANSWER = 1_000;

/** The exceptions from all templates of an organization. */
async function readOverrides(
  ctx: Context,
  orgId: string,
  transaction: ClientSession,
): Promise<PersonOverride[]> {
  return personOverrideRows(ctx)
    .find({ org_id: orgId }, { session: transaction, batchSize: OVERRIDES_PER_ANSWER })
    .toArray();
}

const NO_EXCEPTIONS: Exceptions = new Map();

function arrangeBudgets(
  budgets: readonly Budget[],
  teamsOf: BudgetRules['teamsOf'],
  overrides: readonly PersonOverride[],
): BudgetRules {
  const ordered = budgets.toSorted(
    (a, b) => a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1),
  );
  const overridesOf = Map.groupBy(overrides, ({ budget_id }) => budget_id);
  const matchers = new Map<string, Matcher>();
  const matcherFor = ({ filter }: Budget): Matcher | null => {
    if (!filter) return null;
    const matches = matchers.get(filterText(filter)) ?? matcherOf(filter);
    matchers.set(filterText(filter), matches);
    return matches;
  };
  const ruled = ordered.map((budget, place) => {
    const exceptions = budget.per ? exceptionsOf(budget, overridesOf.get(budget._id) ?? []) : NO_EXCEPTIONS;
    return { budget, place, counter: counterKey(budget), matches: matcherFor(budget), exceptions };
  });
  const byScope = Map.groupBy(ruled, ({ budget }) => scopeKey(budget));
  const countedBy = new Map([...byScope].map(([scope, own]) => [scope, countedTogether(own)]));
  return { budgets: ruled, byScope, countedBy, teamsOf };
}

function countedTogether(budgets: readonly RuledBudget[]): CountedTogether[] {
  return [false, true].flatMap((isPerPerson) => {
    const kind = budgets.filter(({ budget }) => Boolean(budget.per) === isPerPerson);
    return [...Map.groupBy(kind, ({ matches }) => matches)].map(([matches, own]) => ({
      matches,
      isPerPerson,
      // Where budgets share a counter, the one that reaches back longest decides how long it takes late signals.
      counters: new Map(
        own
          .toSorted((a, b) => (a.budget.rolling_days ?? 0) - (b.budget.rolling_days ?? 0))
          .map(({ counter, budget }) => [counter, budget]),
      ),
    }));
  });
}

/**
 * The subscribers of rules that were read in a counter shard, for events that their transaction raises. The guard is the write of
 * that shard, by which it conflicts with every change of the rules that it does not see.
 */
export function guardedSubscribers({ organization, subscribers }: Rules, shard: number): Subscribers {
  return { webhooks: subscribers, guard: [guardOrganizationRules(organization._id, shard)] };
}
