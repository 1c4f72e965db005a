/** The splits that are compared, in their order: of two that explain as much, the first one is named. */
export const CHANGE_SPLITS = [
  'session',
  'pull_request',
  'branch',
  'task',
  'user_id',
  'project_id',
  'repository',
  'team',
  'model',
  'adapter',
] as const;
export type SplitBy = (typeof CHANGE_SPLITS)[number];

/** A value of a split, with its cost in the period and in the one before. Nano-USD. */
export interface Compared {
  /** Null: calls without a name there. */
  key: string | null;
  nowNusd: bigint;
  beforeNusd: bigint;
}

export interface Split {
  by: SplitBy;
  rows: readonly Compared[];
}

export interface Explanation {
  by: SplitBy;
  keys: string[];
  /** The part of the difference that the rows are, in nano-USD. */
  differenceNusd: bigint;
}

/** The rows that explain a difference are at most so many. */
const MOST_ROWS = 3;

/**
 * Returns the smallest set of at most three rows of one split that explains a difference: taken by their difference, largest in
 * its direction first, they leave at most half of it unexplained, whichever sign the rest has, and their part of the difference
 * is at least one and a half times their part of the period before. The split that comes first wins among equally small
 * sets. Null: nothing stands out. Pure.
 */
export function explain(total: Omit<Compared, 'key'>, splits: readonly Split[]): Explanation | null {
  const difference = total.nowNusd - total.beforeNusd;
  if (difference === 0n) return null;
  const candidates = splits.map(({ by, rows }) => ({ by, rows: largest(rows, difference > 0n) }));
  for (let size = 1; size <= MOST_ROWS; size += 1)
    for (const { by, rows } of candidates) {
      if (rows.length < size) continue;
      const taken = rows.slice(0, size);
      const explained = sumOf(taken, differenceOf);
      const before = sumOf(taken, ({ beforeNusd }) => beforeNusd);
      if (!isMost(explained, difference) || !standsOut({ explained, difference, before }, total)) continue;
      return { by, keys: taken.flatMap(({ key }) => key ?? []), differenceNusd: explained };
    }
  return null;
}

/** The rows with a name that moved as the whole did, those that moved most first. */
function largest(rows: readonly Compared[], isUp: boolean): Compared[] {
  const moved = (row: Compared) => (isUp ? differenceOf(row) : -differenceOf(row));
  return rows
    .filter((row) => row.key !== null && moved(row) > 0n)
    .toSorted((a, b) => compare(moved(b), moved(a)) || (String(a.key) < String(b.key) ? -1 : 1))
    .slice(0, MOST_ROWS);
}

function isMost(explained: bigint, difference: bigint): boolean {
  const rest = difference - explained;
  return 2n * abs(rest) <= abs(difference);
}

/** `explained / difference >= 1.5 * before / total before`, in integers: what always is most of the cost explains nothing. */
function standsOut(
  { explained, difference, before }: { explained: bigint; difference: bigint; before: bigint },
  total: { beforeNusd: bigint },
): boolean {
  return 2n * abs(explained) * total.beforeNusd >= 3n * before * abs(difference);
}

export function differenceOf({ nowNusd, beforeNusd }: Omit<Compared, 'key'>): bigint {
  return nowNusd - beforeNusd;
}

export function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sumOf<Row>(rows: readonly Row[], read: (row: Row) => bigint): bigint {
  return rows.reduce((sum, row) => sum + read(row), 0n);
}
