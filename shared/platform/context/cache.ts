import type { Context } from './context.ts';
import { perContext } from './per-context.ts';

/** What a process remembers for a while, so that it need not ask again. */
export interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

/**
 * Declares a memory of a process beside its context. It holds at most `max` entries and forgets the one that was used
 * least recently; with `ttlMs` an entry also goes that many milliseconds after it was set.
 */
export function boundedCache<Key, Value>(limits: {
  max: number;
  ttlMs?: number;
}): (ctx: Context) => Cache<Key, Value> {
  return perContext((ctx) => createCache<Key, Value>(limits, () => ctx.clock.now()));
}

function createCache<Key, Value>(
  { max, ttlMs = Number.POSITIVE_INFINITY }: { max: number; ttlMs?: number },
  now: () => number,
): Cache<Key, Value> {
  // In the order of use.
  const entries = new Map<Key, { value: Value; setMs: number }>();
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      if (now() - entry.setMs >= ttlMs) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, { value, setMs: now() });
      const [oldest] = entries.keys();
      if (entries.size > max && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => {
      entries.delete(key);
    },
  };
}
