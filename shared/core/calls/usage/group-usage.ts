import { DomainError } from '../../../platform/basics/errors.ts';
import { WORK_FIELDS, type WorkField, type WorkNames } from '../signals/place.ts';
import type { Key, SummedRow } from './cells.ts';
import { addSums, isZero, noSums, type Sums } from './measures.ts';
import { DIMENSIONS } from './model.ts';

export const WORK_GROUPINGS = WORK_FIELDS;

export const GROUPINGS = [...DIMENSIONS, 'team', ...WORK_GROUPINGS] as const;
export type GroupBy = (typeof GROUPINGS)[number];

export interface Group {
  key: Record<string, string | null>;
  sums: Sums;
}

/** The names that groupings have which are no column: the teams of each user, and the names of each work. */
export interface GroupNames {
  teams: ReadonlyMap<string, string[]>;
  works: WorkNames;
}

/**
 * Merges rows of equal key, in order of the key. A member of several teams counts in each of them. More groups than
 * `mostGroups` are `invalid_request`.
 */
export function groupRows(
  rows: readonly SummedRow[],
  groupBy: readonly GroupBy[],
  names: GroupNames,
  mostGroups: number,
): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    // A session that moved to another model or start leaves a row of zeros behind.
    if (isZero(row.sums)) continue;
    for (const key of keysOf(row, groupBy, names)) {
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

export function columnOf(groupBy: GroupBy): (typeof DIMENSIONS)[number] | 'work' {
  if (groupBy === 'team') return 'user_id';
  return isWorkField(groupBy) ? 'work' : groupBy;
}

/** Returns whether a group may be made of many values of its column. */
export function isMerged(by: GroupBy): boolean {
  return by === 'team' || isWorkField(by);
}

/** The value of a grouping that is no team: null for calls that belong to none. */
export function valueOfKey(key: Key, by: Exclude<GroupBy, 'team'>, works: WorkNames): string | null {
  if (isWorkField(by)) return works.get(String(key.work))?.[by] ?? null;
  return String(key[by]);
}

function isWorkField(by: GroupBy): by is WorkField {
  return WORK_GROUPINGS.some((name) => name === by);
}

function keysOf(
  row: SummedRow,
  groupBy: readonly GroupBy[],
  { teams, works }: GroupNames,
): Record<string, string | null>[] {
  const inOrder = (team: string | null) =>
    Object.fromEntries(
      groupBy.map((name) => [name, name === 'team' ? team : valueOfKey(row.key, name, works)]),
    );
  if (!groupBy.includes('team')) return [inOrder(null)];
  const names = teams.get(String(row.key.user_id)) ?? [];
  return names.length === 0 ? [inOrder(null)] : names.map(inOrder);
}
