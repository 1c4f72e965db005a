import { hashedKey } from '../../../../platform/basics/ids.ts';
import type { Interval } from '../../../../platform/basics/interval.ts';
import { countedProvider } from '../../../pricing/provider-of.ts';
import { oneProviderName, UNKNOWN_PROVIDER } from '../../../pricing/providers.ts';
import type { BudgetRules, RuledBudget } from '../../budgets/rules/budget-rules.ts';
import { amountIn, type WindowUsage } from '../../budgets/rules/evaluate.ts';
import type { FilteredCall } from '../../budgets/rules/filter.ts';
import { filteredCall } from '../../budgets/rules/filtered-call.ts';
import { inForce } from '../../budgets/rules/in-force.ts';
import { scopesOf } from '../../budgets/rules/keys.ts';
import type { Budget } from '../../budgets/rules/model.ts';
import { budgetOfPerson } from '../../budgets/rules/people.ts';
import type { Rules } from '../../budgets/rules/rules.ts';
import { windowAt } from '../../budgets/rules/windows.ts';
import { type PeopleUsage, usageOfPerson } from './people-usage.ts';

/** The amounts that open reservations hold beside the usage of a status. */
export interface Reserved {
  /** The identity of the Redis data that holds them. */
  identity: string;
  /** Redis' clock before the amounts were read. */
  redisMs: number;
  /** How many reservations there had been. */
  seq: number;
  /** Nano-USD by the keys of `reservedKeys(...)`. */
  sums: ReadonlyMap<string, number>;
  /** When they were read, by this process' monotonic clock. */
  readMs: number;
}

/** The rules, the usage and the reservations of an organization at one moment, as an api process caches them. */
export interface BudgetStatus {
  orgId: string;
  rules: Rules;
  /** How often usage had been counted by then: the same number means the same amounts. */
  touches: number;
  /** When the usage was read, by the wall clock. Windows that had ended by then are left out. */
  asOfMs: number;
  /** By counter: its windows that are open now or open later. */
  usage: ReadonlyMap<string, readonly WindowUsage[]>;
  /** The same of each person of a template. */
  people: PeopleUsage;
  /** Null when there is no budget with reservations, or Redis was never read. */
  reserved: Reserved | null;
}

export interface Caller {
  orgId: string;
  userId: string | null;
  projectId: string;
  call?: NamedCall;
  /** True: budgets that ask about what the call does not name decide too. */
  countsUnnamed?: boolean;
}

export interface NamedCall {
  model?: string | undefined;
  provider?: string | undefined;
  adapter?: string | undefined;
}

/**
 * A budget that a call counts in, with the limit that is in force, in the window that is open. Amounts are in the unit of the
 * budget's limit.
 */
export interface OpenBudget {
  budget: Budget;
  interval: Interval;
  current: number;
  /** Held by open reservations. */
  reserved: number;
}

export function isReservedIn({ enforce, metric }: Pick<Budget, 'enforce' | 'metric'>): boolean {
  return enforce === 'hard' && metric === 'cost_usd';
}

export function mayReserve({ budgets }: Pick<BudgetRules, 'budgets'>): boolean {
  return budgets.some(({ budget }) => isReservedIn(budget));
}

export interface ReservedKeys {
  /** Holds what is reserved in the budget, and counts. */
  own: string;
  /** Counts too: what was reserved before `per` changed. */
  beside: string;
  /** Holds what is reserved too, for a later change of `per`; '' for none. */
  also: string;
}

/**
 * The keys of the reservations in a budget. They name no window, so that a reservation is held until it ends, over the turn of
 * a window and a change of it. A template has one for each person (`nameOfUser`). After a change of `per` to `user` each person
 * waits for all that was reserved before: which of it was that person's is not known.
 */
export function reservedKeys({ _id }: Pick<Budget, '_id'>, person: string | null): ReservedKeys {
  const [all, people] = [`${_id}:all`, `${_id}:people`];
  return person === null
    ? { own: all, beside: people, also: '' }
    : { own: `${_id}:${person}`, beside: all, also: people };
}

/** The keys of the reservations in a budget that is open. */
export function reservedKeysOf({ _id, org_id, per, scope_id }: Budget): ReservedKeys {
  return reservedKeys({ _id }, per ? nameOfUser(org_id, scope_id) : null);
}

/** The amount that open reservations hold in a budget, by the keys of `sums`. */
export function sumReserved(sums: ReadonlyMap<string, number>, { own, beside }: ReservedKeys): number {
  return (sums.get(own) ?? 0) + (sums.get(beside) ?? 0);
}

/** The name of a user in the scripts: a hash, because the id may name a person; '' for none. */
export function nameOfUser(orgId: string, userId: string | null): string {
  return userId === null ? '' : hashedKey(12, orgId, userId);
}

/**
 * The budgets that a caller's calls count in, in the order in which they were made. One that asks about what the call does not
 * name is among them only if the caller `countsUnnamed`.
 */
export function openBudgetsOf(status: BudgetStatus, caller: Caller, nowMs: number): OpenBudget[] {
  const { byScope, teamsOf } = status.rules.limits;
  const { call = {}, countsUnnamed = false } = caller;
  let filtered: FilteredCall | null = null;
  const counting: RuledBudget[] = [];
  for (const scope of scopesOf(teamsOf, caller))
    for (const ruled of byScope.get(scope) ?? []) {
      if (ruled.matches) filtered ??= filteredCallOf(call, nowMs);
      if (!(ruled.matches && filtered) || (ruled.matches(filtered) ?? countsUnnamed)) counting.push(ruled);
    }
  counting.sort((a, b) => a.place - b.place);
  const open: OpenBudget[] = [];
  for (const ruled of counting) {
    const budget = ruled.budget.per ? ownBudget(ruled, caller) : ruled.budget;
    if (budget) open.push(openBudget(status, budget, ruled.counter, nowMs));
  }
  return open;
}

/** True for a call without a user that a hard template would count for its user. A team of the user is not known then. */
export function isOfNobody({ rules }: BudgetStatus, { userId, call = {} }: Caller, nowMs: number): boolean {
  if (userId !== null) return false;
  const filtered = filteredCallOf(call, nowMs);
  return rules.limits.budgets.some(
    ({ budget, matches }) => budget.per && budget.enforce === 'hard' && matches?.(filtered) !== false,
  );
}

/** A template's budget of a caller. Null: the call is nobody's, or the template does not count for this person. */
function ownBudget(ruled: RuledBudget, { userId }: Caller): Budget | null {
  return userId === null ? null : budgetOfPerson(ruled, userId);
}

/** A budget, or one person's budget of a template, with what is used and held of it now. Pure. */
export function openBudget(
  { usage, people, reserved }: Pick<BudgetStatus, 'usage' | 'people' | 'reserved'>,
  budget: Budget,
  counter: string,
  nowMs: number,
): OpenBudget {
  const interval = windowAt(budget, nowMs);
  const windows = budget.per ? usageOfPerson(people, counter, budget.scope_id) : (usage.get(counter) ?? []);
  return {
    budget: inForce(budget, nowMs),
    interval,
    current: amountIn(budget.metric, windows, interval),
    reserved: reserved ? sumReserved(reserved.sums, reservedKeysOf(budget)) : 0,
  };
}

/** A call as filters see it. One that names a model names its provider too. */
function filteredCallOf({ model, provider, adapter }: NamedCall, nowMs: number): FilteredCall {
  const saysNothing = !model && ['', UNKNOWN_PROVIDER].includes(oneProviderName(provider ?? ''));
  const counted = saysNothing ? null : countedProvider({ model, provider }, nowMs);
  return filteredCall({ model: model ?? null, provider: counted, adapter: adapter ?? null }, nowMs);
}
