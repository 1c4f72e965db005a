import type { Budget, BudgetRaise, PersonOverride } from './model.ts';

interface Exception {
  /** Absent: the template's; null: the template does not count for this person. */
  limit?: number | null;
  raises: BudgetRaise[];
}

/** The exceptions from a template, by user. */
export type Exceptions = ReadonlyMap<string, Exception>;

export interface WithExceptions {
  budget: Budget;
  exceptions: Exceptions;
}

/** The exceptions from a template: its raises, and these overrides. Pure. */
export function exceptionsOf({ raises = [] }: Budget, overrides: readonly PersonOverride[]): Exceptions {
  const limits = new Map(overrides.map(({ user_id, limit }) => [user_id, { limit, raises: [] }]));
  const exceptions = new Map<string, Exception>(limits);
  for (const raise of raises) {
    if (raise.user_id === undefined) continue;
    const known = exceptions.get(raise.user_id) ?? { raises: [] };
    exceptions.set(raise.user_id, { ...known, raises: [...known.raises, raise] });
  }
  return exceptions;
}

/**
 * The budget of one person of a template: of the scope `user`, with that person's limit and raises. Everything that holds for a
 * budget of a user holds for it. Null: the template does not count for that person. Pure.
 */
export function budgetOfPerson({ budget, exceptions }: WithExceptions, userId: string): Budget | null {
  const { limit = budget.limit, raises = [] } = exceptions.get(userId) ?? {};
  return limit === null ? null : { ...budget, scope: 'user', scope_id: userId, limit, raises };
}

/** A budget as it counts for nobody by name: the raises of a template are those of its people. Pure. */
export function budgetOfNobody(budget: Budget): Budget {
  return budget.per ? { ...budget, raises: [] } : budget;
}

/** True of an exception that is not over: a limit, or a raise that has not ended. Pure. */
export function isOpen({ limit, raises }: Exception, nowMs: number): boolean {
  return limit !== undefined || raises.some(({ ends_at }) => ends_at.getTime() > nowMs);
}
