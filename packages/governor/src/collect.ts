import { type Found, type FoundCall, REPEATED } from './readers/history.ts';

/** The calls of all files, each once, and what was left out, counted by reason. */
export interface Collection {
  calls: Map<string, FoundCall>;
  /** Keys that must not count, whatever is found of them. */
  covered: Set<string>;
  leftOut: Map<string, number>;
}

export function startCollection(): Collection {
  return { calls: new Map(), covered: new Set(), leftOut: new Map() };
}

/** Adds what a file says: of several lines about one call the best is kept, over all files. */
export function collect(collection: Collection, found: readonly Found[]): void {
  for (const item of found) {
    if ('leftOut' in item) leaveOut(collection, item.leftOut);
    else if ('covered' in item) cover(collection, item.covered);
    else keepBest(collection, item.call);
  }
}

export function leaveOut({ leftOut }: Collection, reason: string, count = 1): void {
  leftOut.set(reason, (leftOut.get(reason) ?? 0) + count);
}

function cover(collection: Collection, key: string): void {
  collection.covered.add(key);
  if (collection.calls.delete(key)) leaveOut(collection, REPEATED);
}

function keepBest(collection: Collection, call: FoundCall): void {
  const known = collection.calls.get(call.key);
  if (known || collection.covered.has(call.key)) leaveOut(collection, REPEATED);
  if (collection.covered.has(call.key) || (known && known.rank >= call.rank)) return;
  collection.calls.set(call.key, call);
}
