import type { Organization } from '../../core/accounts/organizations/model.ts';
import { K_ANONYMITY_FLOOR } from '../../platform/basics/contract.ts';

/** The fewest active users whose sum is shown: as many as an organization asks for, and never fewer than the floor. */
export function kOf({ k_anonymity }: Pick<Organization, 'k_anonymity'>): number {
  return Math.max(K_ANONYMITY_FLOOR, k_anonymity);
}

/** The sums of one user within one cell (a week × a value). Money in nano-USD. */
export interface Contribution {
  user: string;
  /** Does not count towards k: all such users together are taken for one. */
  isOther: boolean;
  signals: number;
  tokens_in: number;
  tokens_out: number;
  cost_nusd: number;
}

/** One value of a week's dimension with everyone who is in it. No user is hidden in it twice. */
export interface Cell {
  value: string;
  contributions: readonly Contribution[];
}

export interface Suppression {
  /** Values that are not shown for this week. */
  hidden: ReadonlySet<string>;
  /** The sum over all values is not shown either. */
  isTotalHidden: boolean;
}

/** The measures of the p % rule. A user has too few sessions and errors for it: k alone guards them. */
const GUARDED = ['signals', 'tokens_in', 'tokens_out', 'cost_nusd'] as const;
/** The p of the p % rule: the sum and the second largest part must not reveal the largest more exactly than this. */
const P_PERCENT = 10;

/**
 * Decides which values of one week are hidden. A cell is hidden when fewer than `k` users were active in it, or by the p %
 * rule: when what is left without its two largest users is less than a tenth of the largest. Complementary suppression:
 * the hidden cells are what the week's total lacks, so together they must pass the same test as one; otherwise the
 * smallest shown cell is hidden too, and the next, until they do. So one cell is never hidden alone. Nor is the total:
 * where every cell passes the test, their sum does. Pure; depends on nothing but this week.
 */
export function suppressWeek(cells: readonly Cell[], k: number): Suppression {
  const isTotalHidden = !mayBeShown(cells, k);
  const hidden = cells.filter((cell) => !mayBeShown([cell], k));
  const alone = new Set(hidden);
  const shown = cells.filter((cell) => !alone.has(cell)).sort(bySize);
  // A week has up to 10,000 values: each is merged once, however many it takes.
  const together = new Map<string, Contribution>();
  for (const cell of hidden) addUsers(together, cell);
  for (const cell of shown) {
    if (hidden.length === 0 || isSafe([...together.values()], k)) break;
    hidden.push(cell);
    addUsers(together, cell);
  }
  return { hidden: new Set(hidden.map((cell) => cell.value)), isTotalHidden };
}

/**
 * Returns whether the sum over these cells reveals nothing about any one user. Users with `isOther` do not count towards k,
 * and the p % rule must hold both with all of them as one user and without them: an attacker may be all of them, or none.
 */
export function mayBeShown(cells: readonly Cell[], k: number): boolean {
  return isSafe(mergeUsers(cells), k);
}

function isSafe(users: readonly Contribution[], k: number): boolean {
  const counted = users.filter((user) => !user.isOther);
  const groups = counted.length === users.length ? [users] : [users, counted];
  return (
    countActive(counted) >= k &&
    groups.every((group) => GUARDED.every((measure) => holdsPPercent(group, measure)))
  );
}

export function countActive(users: readonly Contribution[]): number {
  return users.filter((user) => user.signals > 0 && !user.isOther).length;
}

function holdsPPercent(users: readonly Contribution[], measure: (typeof GUARDED)[number]): boolean {
  let [largest, second, sum] = [0, 0, 0];
  for (const { [measure]: value } of users) {
    sum += value;
    if (value > largest) [largest, second] = [value, largest];
    else if (value > second) second = value;
  }
  return (sum - largest - second) * 100 >= P_PERCENT * largest;
}

/** One contribution per user, and one for all users that do not count towards k. */
export function mergeUsers(cells: readonly Cell[]): Contribution[] {
  const merged = new Map<string, Contribution>();
  for (const cell of cells) addUsers(merged, cell);
  return [...merged.values()];
}

function addUsers(merged: Map<string, Contribution>, { contributions }: Cell): void {
  for (const contribution of contributions) {
    const key = contribution.isOther ? OTHER : contribution.user;
    const user = merged.get(key);
    if (!user) merged.set(key, { ...contribution, user: key });
    else for (const measure of GUARDED) user[measure] += contribution[measure];
  }
}

/** The name of the users that do not count towards k. No user's name is empty. */
export const OTHER = '';

function bySize(a: Cell, b: Cell): number {
  const active = (cell: Cell) => countActive(cell.contributions);
  const cost = (cell: Cell) => cell.contributions.reduce((sum, user) => sum + user.cost_nusd, 0);
  return active(a) - active(b) || cost(a) - cost(b) || (a.value < b.value ? -1 : 1);
}
