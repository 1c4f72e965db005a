import type { Interval } from '../../../../platform/basics/interval.ts';
import type { WindowUsage } from '../rules/evaluate.ts';

/** A rule about what holds in windows of rolling budgets, such as a level that they have reached. */
export interface Carrying<T> {
  /** Null: it is about another window, which begins with nothing. */
  nameOf: (item: T) => string | null;
  /** The starts of windows in which it held, was told or carried, by name. Epoch ms. */
  heldIn: ReadonlyMap<string, readonly number[]>;
  windowsOf: (item: T) => readonly WindowUsage[];
  /** Returns whether it held at the midnight with which the last day of a window began. */
  heldAtOpening: (item: T, window: WindowUsage) => boolean;
}

/**
 * Splits what holds now and was not told of its window into what is fresh, and what is carried on from an earlier window, because no
 * midnight since then ended it. An item whose later window was told is neither. Pure.
 */
export function splitCarried<T extends { interval: Interval }>(
  items: readonly T[],
  rule: Carrying<T>,
): { fresh: T[]; carried: T[] } {
  const fresh: T[] = [];
  const carried: T[] = [];
  const heldIn = new Map([...rule.heldIn].map(([name, starts]) => [name, [...starts]]));
  for (const item of items.toSorted((a, b) => a.interval.startMs - b.interval.startMs)) {
    const name = rule.nameOf(item);
    const starts = name === null ? [] : (heldIn.get(name) ?? []);
    const { startMs } = item.interval;
    if (starts.some((atMs) => atMs > startMs)) continue;
    if (isCarried(item, starts, rule)) carried.push(item);
    else fresh.push(item);
    if (name !== null) heldIn.set(name, [...starts, startMs]);
  }
  return { fresh, carried };
}

function isCarried<T extends { interval: Interval }>(
  item: T,
  starts: readonly number[],
  { windowsOf, heldAtOpening }: Carrying<T>,
): boolean {
  if (starts.length === 0) return false;
  const sinceMs = Math.max(...starts);
  return windowsOf(item)
    .filter(({ interval }) => sinceMs < interval.startMs && interval.startMs <= item.interval.startMs)
    .every((window) => heldAtOpening(item, window));
}
