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
  isUnpriced: boolean;
}

/** The entries of the list. Omits values without any signal that could cost something. Pure. */
export function topOf(usage: Pick<Usage, 'groups'>, by: Grouping): Top[] {
  const groups = groupsBy(usage, by);
  const named = groups.flatMap(({ value, name, cost_usd: cost, unpriced_signals }) =>
    name === null || (cost === 0 && unpriced_signals === 0)
      ? []
      : [{ value, name, cost, isUnpriced: cost === 0 }],
  );
  const top = named.slice(0, SHOWN);
  const rest = groups.find(({ name }) => name === null)?.cost_usd ?? 0;
  const others = named.slice(SHOWN).reduce((sum, { cost }) => sum + cost, rest);
  const areMore = named.length > SHOWN || groups.some(({ name }) => name === null);
  return areMore ? [...top, { value: null, name: null, cost: others, isUnpriced: false }] : top;
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
