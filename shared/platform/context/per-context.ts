import { LRUCache } from 'lru-cache';
import type { Context } from './context.ts';

/** Declares something that a process keeps beside its context: made at the first use, and gone with the context. */
export function perContext<Kept>(make: (ctx: Context) => Kept): (ctx: Context) => Kept {
  const made = new WeakMap<Context, { kept: Kept }>();
  return (ctx) => {
    const known = made.get(ctx);
    if (known) return known.kept;
    const kept = make(ctx);
    made.set(ctx, { kept });
    return kept;
  };
}

/** Values that a process keeps, so that it need not ask again. */
export interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

type Present = NonNullable<unknown>;

/**
 * Declares a cache of a process: the `max` entries that were used last. With `ttlMs` an entry also goes that many
 * milliseconds after it was set.
 */
export function boundedCache<Key extends Present, Value extends Present>({
  max,
  ttlMs,
}: {
  max: number;
  ttlMs?: number;
}): (ctx: Context) => Cache<Key, Value> {
  return perContext(({ clock }) => {
    // The library keeps an entry while its age is at most `ttl`, and for ever one that was set at 0.
    const expiry = ttlMs === undefined ? {} : { ttl: ttlMs - 1, ttlResolution: 0 };
    // With its option `max` the library sets room aside for all entries: 6 MB for the largest cache.
    const bounds = { maxSize: max, sizeCalculation: () => 1 };
    return new LRUCache<Key, Value>({ ...bounds, ...expiry, perf: { now: () => clock.elapsed() + 1 } });
  });
}
