import { DomainError } from '../platform/basics/errors.ts';
import type { SummedRow } from './cells.ts';
import { addSums, isZero, noSums, type Sums } from './measures.ts';
import { DIMENSIONS } from './model.ts';

export const GROUPINGS = [...DIMENSIONS, 'team'] as const;
export type GroupBy = (typeof GROUPINGS)[number];

export interface Group {
  key: Record<string, string | null>;
  sums: Sums;
}

/**
 * Merges rows of equal key, in order of the key. A member of several teams counts in each of them. More groups than
 * `mostGroups` are `invalid_request`.
 */
export function groupRows(
  rows: readonly SummedRow[],
  groupBy: readonly GroupBy[],
  teams: ReadonlyMap<string, string[]>,
  mostGroups: number,
): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    // A session that moved to another model or start leaves a row of zeros behind.
    if (isZero(row.sums)) continue;
    for (const key of keysOf(row, groupBy, teams)) {
      const id = JSON.stringify(Object.values(key));
      const group = groups.get(id) ?? { key, sums: noSums() };
      groups.set(id, group);
      addSums(group.sums, row.sums);
    }
    if (groups.size > mostGroups) refuseGroups(mostGroups);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** Throws `invalid_request`: an answer of more groups would hold up everybody else. */
export function refuseGroups(mostGroups: number): never {
  throw new DomainError(
    'invalid_request',
    `That makes more than ${mostGroups} groups: set a filter, ask for a shorter range, or group by something with ` +
      'fewer values. An export has no such limit.',
  );
}

/** The column that a grouping is read from. */
export function columnOf(groupBy: GroupBy): (typeof DIMENSIONS)[number] {
  return groupBy === 'team' ? 'user_id' : groupBy;
}

function keysOf(
  row: SummedRow,
  groupBy: readonly GroupBy[],
  teams: ReadonlyMap<string, string[]>,
): Record<string, string | null>[] {
  const inOrder = (team: string | null) =>
    Object.fromEntries(groupBy.map((name) => [name, name === 'team' ? team : String(row.key[name])]));
  if (!groupBy.includes('team')) return [inOrder(null)];
  const names = teams.get(String(row.key.user_id)) ?? [];
  return names.length === 0 ? [inOrder(null)] : names.map(inOrder);
}
