import type { Budget } from '../../data/queries.ts';

/** The amount that is used of a threshold; null where the budget does not count for the person. */
interface Standing {
  current: number;
  threshold_now: number | null;
}

/**
 * The amounts that a raise changes: of a template those of the person alone, as its list of people answers them, else those of
 * everybody in the budget. Pure.
 */
export function standingOf(
  budget: Pick<Budget, 'per' | 'threshold' | 'current' | 'threshold_now'>,
  person: readonly Standing[],
): Standing {
  if (budget.per === null) return budget;
  // The amounts of a template are those of whoever is furthest. Nobody is listed before their first call.
  const [own = { current: 0, threshold_now: budget.threshold }] = person;
  return own;
}
