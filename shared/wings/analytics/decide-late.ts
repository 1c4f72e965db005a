import { FROZEN, type FrozenDimension, type UserCell, type WeekCells } from './model.ts';
import { isActivity } from './read-week.ts';
import {
  type Cell,
  countActive,
  mayBeShown,
  mergeUsers,
  type Suppression,
  suppressWeek,
} from './suppress.ts';

/** A late part waits, waits for more users than `users`, or the week is restated with it. */
export type LateDecision =
  | { outcome: 'wait' }
  | { outcome: 'refuse'; users: number }
  | { outcome: 'restate'; suppression: Suppression };

/**
 * Decides about the signals that arrived for one dimension of a week after it was frozen. The difference between the answers
 * before and after tells the late part, so that part must by itself have k active users and hold the p % rule; and where
 * anything was shown before, so must each value that it touches.
 *
 * It is decided about when k users were late, and once refused only when k more came. So nobody can send late signals in
 * small steps and see at which amount the decision turns, which would reveal the amounts of the others. Pure.
 */
export function decideLate(
  frozen: Pick<FrozenDimension, 'hidden' | 'is_total_hidden' | 'judged_users'>,
  cells: { before: WeekCells; now: WeekCells },
  k: number,
): LateDecision {
  const late = cellsOf(differenceOf(cells.now, cells.before));
  const users = countActive(mergeUsers(late));
  if (users < frozen.judged_users + k) return { outcome: 'wait' };
  const isSilent =
    frozen.is_total_hidden && [...cells.before.keys()].every((value) => frozen.hidden.includes(value));
  const isSafe = mayBeShown(late, k) && (isSilent || late.every((cell) => mayBeShown([cell], k)));
  if (!isSafe) return { outcome: 'refuse', users };
  return { outcome: 'restate', suppression: suppressWeek(cellsOf(cells.now), k) };
}

/** The cells of a week as the suppression takes them. */
export function cellsOf(cells: WeekCells): Cell[] {
  return [...cells].map(([value, contributions]) => ({ value, contributions }));
}

function differenceOf(now: WeekCells, before: WeekCells): WeekCells {
  const late = new Map<string, UserCell[]>();
  for (const value of new Set([...now.keys(), ...before.keys()])) {
    const known = new Map((before.get(value) ?? []).map((cell) => [cell.user, cell]));
    const users = new Map((now.get(value) ?? []).map((cell) => [cell.user, cell]));
    const differing = [...new Set([...users.keys(), ...known.keys()])]
      .map((user) => subtract(users.get(user), known.get(user)))
      .filter(isActivity);
    if (differing.length > 0) late.set(value, differing);
  }
  return late;
}

function subtract(now: UserCell | undefined, before: UserCell | undefined): UserCell {
  const named = (now ?? before) as UserCell;
  const measures = FROZEN.map((measure) => [measure, (now?.[measure] ?? 0) - (before?.[measure] ?? 0)]);
  return { ...named, ...Object.fromEntries(measures) };
}
