import type { Budget } from '../../data/queries.ts';
import { exact, percent } from '../text/format.ts';
import { plainName } from '../text/plain-name.ts';

/** The people of a template in one sentence: each of 300 people: 12 stopped, 30 near, furthest Ada, 97 %. Null: it has none. */
export function peopleWords(
  { people, enforce, top_user_id, utilization_pct }: Budget,
  names: ReadonlyMap<string, string>,
): string | null {
  if (people === null) return null;
  if (top_user_id === null) return 'Nobody has used any of it in this window.';
  const each = people.total === 1 ? 'One person' : `Each of ${exact(people.total)} people`;
  const parts = [
    ...(people.exceeded > 0
      ? [`${exact(people.exceeded)} ${enforce === 'hard' ? 'stopped' : 'exceeded'}`]
      : []),
    ...(people.warning > 0 ? [`${exact(people.warning)} near`] : []),
    `furthest ${plainName(names.get(top_user_id) ?? top_user_id)}, ${percent(utilization_pct / 100, 0)}`,
  ];
  return `${each}: ${parts.join(', ')}`;
}
