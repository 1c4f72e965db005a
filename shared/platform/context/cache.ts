import type { Context } from './context.ts';
import { perContext } from './per-context.ts';

/** A memory of one process. What it holds may go at any time, so it must be possible to find it out again. */
export interface BoundedCache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

/**
 * Declares a cache that lives as long as its context. It holds at most `max` entries, of which the one that was set
 * first goes first, and none for longer than `ttlMs` (by the context's clock; default: no limit).
 */
export function boundedCache<Key, Value>({
  max,
  ttlMs = Number.POSITIVE_INFINITY,
}: {
  max: number;
  ttlMs?: number;
}): (ctx: Context) => BoundedCache<Key, Value> {
  return perContext((ctx) => {
    const entries = new Map<Key, { value: Value; untilMs: number }>();
    return {
      get: (key) => {
        const entry = entries.get(key);
        if (entry === undefined || entry.untilMs > ctx.clock.now()) return entry?.value;
        entries.delete(key);
        return undefined;
      },
      set: (key, value) => {
        entries.delete(key);
        entries.set(key, { value, untilMs: ctx.clock.now() + ttlMs });
        if (entries.size <= max) return;
        for (const oldest of entries.keys()) {
          entries.delete(oldest);
          return;
        }
      },
      delete: (key) => {
        entries.delete(key);
      },
    };
  });
}
