import { usd4 } from '../../core/pricing/money.ts';
import { FROZEN, type UserCell } from './model.ts';
import { OTHER } from './suppress.ts';

/** The visible part of a cell, over the asked weeks. */
export interface CellSums {
  /** By user; those that do not count towards k are one under `OTHER`. */
  users: Map<string, UserCell>;
  visibleWeeks: number;
  hiddenWeeks: number;
}

export function newCellSums(): CellSums {
  return { users: new Map(), visibleWeeks: 0, hiddenWeeks: 0 };
}

/** Adds the users of one week, unless it is hidden. */
export function addWeek(sums: CellSums, users: Iterable<UserCell>, isHidden: boolean): void {
  if (isHidden) {
    sums.hiddenWeeks += 1;
    return;
  }
  sums.visibleWeeks += 1;
  for (const cell of users) addUser(sums.users, cell);
}

/** Adds the sums of one user; those that do not count towards k are one user. */
export function addUser(users: Map<string, UserCell>, cell: UserCell): void {
  const key = cell.isOther ? OTHER : cell.user;
  const known = users.get(key);
  if (!known) {
    users.set(key, { ...cell, user: key });
    return;
  }
  for (const measure of FROZEN) known[measure] += cell[measure];
}

/** A cell as the API shows it. The median is of those who count towards k, and only of 2k of them or more. */
export function viewCellSums(sums: CellSums, k: number) {
  if (sums.visibleWeeks === 0) return { suppressed: true as const };
  const users = [...sums.users.values()];
  const counted = users.filter((user) => user.signals > 0 && !user.isOther);
  return {
    ...viewUsers(users),
    median_cost_usd: counted.length < 2 * k ? null : blurredMedian(counted.map((user) => user.cost_nusd)),
    hidden_weeks: sums.hiddenWeeks,
  };
}

/**
 * The median in US dollars, blurred so that it is nobody's own figure: the mean of the two or three in the middle,
 * rounded to two significant digits. `nusd` are safe integers of nano-USD; at least one.
 */
export function blurredMedian(nusd: readonly number[]): number {
  const sorted = [...nusd].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const central = sorted.slice(
    Math.ceil(middle) - 1 - (sorted.length % 2),
    Math.floor(middle) + 1 + (sorted.length % 2),
  );
  const mean = central.reduce((sum, value) => sum + value, 0) / central.length;
  return Number((mean / 1e9).toPrecision(2));
}

/** The sums over users as the API shows them. */
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
