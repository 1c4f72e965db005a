import { usd4 } from '../pricing/money.ts';
import { median } from './median.ts';
import { FROZEN, type UserCell } from './model.ts';
import { POOL } from './suppress.ts';

/** The visible part of a cell, over the asked weeks. */
export interface CellSums {
  /** By user; all pooled ones together under `POOL`. */
  users: Map<string, UserCell>;
  visibleWeeks: number;
  hiddenWeeks: number;
}

/** The sums of a cell before its first week. */
export function newCellSums(): CellSums {
  return { users: new Map(), visibleWeeks: 0, hiddenWeeks: 0 };
}

/** Adds what the users did in one week, unless it is hidden. */
export function addWeek(sums: CellSums, users: Iterable<UserCell>, isHidden: boolean): void {
  if (isHidden) {
    sums.hiddenWeeks += 1;
    return;
  }
  sums.visibleWeeks += 1;
  for (const cell of users) addUser(sums.users, cell);
}

/** Adds what one user did to what is known of all; pooled ones are one user. */
export function addUser(users: Map<string, UserCell>, cell: UserCell): void {
  const key = cell.isPooled ? POOL : cell.user;
  const known = users.get(key);
  if (!known) {
    users.set(key, { ...cell, user: key });
    return;
  }
  for (const measure of FROZEN) known[measure] += cell[measure];
}

/** What is shown of a cell. The median is of those who count towards k, and only of 2k of them or more. */
export function viewCellSums(sums: CellSums, k: number) {
  if (sums.visibleWeeks === 0) return { suppressed: true as const };
  const users = [...sums.users.values()];
  const counted = users.filter((user) => user.signals > 0 && !user.isPooled);
  return {
    ...viewUsers(users),
    median_cost_usd: counted.length < 2 * k ? null : median(counted.map((user) => user.cost_nusd)),
    hidden_weeks: sums.hiddenWeeks,
  };
}

/** The sums over what users did, each of them once; all pooled ones are one. */
export function viewUsers(merged: readonly UserCell[]) {
  const sum = (measure: (typeof FROZEN)[number]) => merged.reduce((total, user) => total + user[measure], 0);
  return {
    active_users: merged.filter((user) => user.signals > 0).length,
    sessions: sum('sessions'),
    signals: sum('signals'),
    errors: sum('errors'),
    tokens_in: sum('tokens_in'),
    tokens_out: sum('tokens_out'),
    cost_usd: usd4(merged.reduce((total, user) => total + BigInt(user.cost_nusd), 0n)),
  };
}
