import type { AnswerOf } from './client.ts';
import { type Grouping, isWork } from './range.ts';

export type Usage = AnswerOf<'/api/v1/usage'>;
type UsageGroup = Usage['groups'][number];

/** A group as people see it. */
export interface NamedGroup extends UsageGroup {
  /** To filter by; null where no filter means it. */
  value: string | null;
  /** Null: the rest. */
  name: string | null;
}

/** The name of the group that has no value. */
const NONE = { team: 'In no team', work: 'Not attributed' } as const;

/**
 * The groups by one grouping, most expensive first and the rest last: together the totals. An answer by this grouping alone names no
 * dimension in the key of its rest. Pure.
 */
export function groupsBy({ groups }: Pick<Usage, 'groups'>, by: Grouping): NamedGroup[] {
  return groups.flatMap((group): NamedGroup[] => {
    if (group.rest && (group.key === null || by in group.key)) return [{ ...group, value: null, name: null }];
    const value = group.key?.[by];
    if (value === undefined) return [];
    return [{ ...group, value, name: value ?? NONE[isWork(by) ? 'work' : 'team'] }];
  });
}
