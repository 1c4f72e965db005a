const DAY_MS = 86_400_000;
/** Some minutes: what was spent in one moment has no pace. */
const LEAST_DAYS = 0.01;

/** A page of spends, newest first. */
interface Spent {
  transactions: readonly { delta: number; created_at: number }[];
  has_more: boolean;
}

/** Credits per day of a page of the spends since a time in Unix seconds. Pure. */
export function paceOf({ transactions, has_more }: Spent, fromS: number, nowMs: number): number {
  // A busy account fills the page before the week is over: its pace is that of the page.
  const sinceS = has_more ? transactions.at(-1)?.created_at : undefined;
  return creditsPerDay(transactions, sinceS ?? fromS, nowMs);
}

/** Pure. How many credits these spends come to per day, since a time in Unix seconds. */
export function creditsPerDay(spends: readonly { delta: number }[], sinceS: number, nowMs: number): number {
  const days = Math.max((nowMs - sinceS * 1_000) / DAY_MS, LEAST_DAYS);
  return spends.reduce((sum, { delta }) => sum - delta, 0) / days;
}
