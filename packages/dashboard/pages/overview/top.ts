import { groupsBy, type Usage } from '../../data/groups.ts';
import type { Grouping } from '../../data/range.ts';

/** Entries of a list, beside the one of all others. */
const SHOWN = 5;

export interface Top {
  /** To filter by; null where no filter means it. */
  value: string | null;
  /** Null: the others. */
  name: string | null;
  cost: number;
  /** Calls without a price among them. */
  unpriced: number;
}

/** The entries of the list. Omits values without any signal that could cost something. Pure. */
export function topOf(usage: Pick<Usage, 'groups'>, by: Grouping): Top[] {
  const groups = groupsBy(usage, by);
  const entries = groups.map(({ value, name, cost_usd: cost, unpriced_signals: unpriced }) => ({
    value,
    name,
    cost,
    unpriced,
  }));
  const named = entries.filter(({ name, cost, unpriced }) => name !== null && (cost > 0 || unpriced > 0));
  const others = [...named.slice(SHOWN), ...entries.filter(({ name }) => name === null)];
  const sum = (of: 'cost' | 'unpriced') => others.reduce((all, other) => all + other[of], 0);
  const top = named.slice(0, SHOWN);
  if (others.length === 0) return top;
  return [...top, { value: null, name: null, cost: sum('cost'), unpriced: sum('unpriced') }];
}

/** The cost of a value in the period before; undefined where it was one of the others. Pure. */
export function costBefore(
  before: Pick<Usage, 'groups'> | undefined,
  by: Grouping,
  name: string,
): number | undefined {
  if (!before) return undefined;
  const groups = groupsBy(before, by);
  const found = groups.find((group) => group.name === name);
  if (found) return found.cost_usd;
  return groups.every((group) => group.name !== null) ? 0 : undefined;
}
