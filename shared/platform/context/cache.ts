import type { Context } from './context.ts';
import { perContext } from './per-context.ts';

/** What a process remembers for a while, so that it need not ask again. */
export interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

/**
 * Declares a memory of a process beside its context. It holds at most `max` entries, among them the half of `max` that
 * were used last; with `ttlMs` an entry also goes that many milliseconds after it was set.
 */
export function boundedCache<Key, Value>(limits: {
  max: number;
  ttlMs?: number;
}): (ctx: Context) => Cache<Key, Value> {
  return perContext((ctx) => createCache<Key, Value>(limits, () => ctx.clock.elapsed()));
}

function createCache<Key, Value>(
  { max, ttlMs = Number.POSITIVE_INFINITY }: { max: number; ttlMs?: number },
  now: () => number,
): Cache<Key, Value> {
  type Entry = { value: Value; setMs: number };
  // Entries that were used since the last turn, and older ones: keeping all in the order of use would cost a write per
  // look. When the used ones are half of `max`, they become the older ones, and those before are forgotten.
  let used = new Map<Key, Entry>();
  let older = new Map<Key, Entry>();
  const put = (key: Key, entry: Entry) => {
    used.set(key, entry);
    older.delete(key);
    if (used.size < max / 2) return;
    older = used;
    used = new Map();
  };
  const forget = (key: Key) => {
    used.delete(key);
    older.delete(key);
  };
  return {
    get: (key) => {
      const recent = used.get(key);
      const entry = recent ?? older.get(key);
      if (!entry) return undefined;
      if (ttlMs !== Number.POSITIVE_INFINITY && now() - entry.setMs >= ttlMs) {
        forget(key);
        return undefined;
      }
      if (!recent) put(key, entry);
      return entry.value;
    },
    set: (key, value) => put(key, { value, setMs: now() }),
    delete: forget,
  };
}
