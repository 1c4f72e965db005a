import type { ClientSession } from 'mongoose';
import type { Context } from '../../../../platform/context/context.ts';
import { teamsByUser } from '../../../accounts/organizations/teams.ts';
import type { Counter } from './counted.ts';
import { filterText, type Matcher } from './filter.ts';
import { matcherOf } from './filtered-call.ts';
import { counterKey, scopeKey } from './keys.ts';
import { type Budget, budgetRows, type PersonOverride, personOverrideRows } from './model.ts';
import { type Exceptions, exceptionsOf } from './people.ts';

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

export async function readBudgetRules(
  ctx: Context,
  orgId: string,
  transaction: ClientSession,
): Promise<BudgetRules> {
  const budgets = await budgetRows(ctx)
    .find({ org_id: orgId }, { session: transaction, batchSize: BUDGETS_PER_ANSWER })
    .toArray();
  const hasTeams = budgets.some(({ scope }) => scope === 'team');
  const teamsOf = hasTeams ? await teamsByUser(ctx, orgId, transaction) : new Map<string, string[]>();
  const hasTemplates = budgets.some(({ per }) => per);
  const overrides = hasTemplates ? await readOverrides(ctx, orgId, transaction) : [];
  return arrangeBudgets(budgets, teamsOf, overrides);
}

/** Decoding one answer is one turn of the event loop. */
const BUDGETS_PER_ANSWER = 200;
const OVERRIDES_PER_ANSWER = 1_000;

/** The exceptions from all templates of an organization. */
async function readOverrides(ctx: Context, orgId: string, transaction: ClientSession) {
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
