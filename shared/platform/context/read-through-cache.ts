import { LRUCache } from 'lru-cache';
import { every } from '../basics/every.ts';
import { within } from '../basics/within.ts';
import type { Context } from './context.ts';
import { perContext } from './per-context.ts';

/** Interval at which every cached value is read again. Milliseconds. */
const REFRESH_MS = 400;
/** Age from which a value is no longer fresh. Milliseconds. */
const FRESH_MS = 1_000;
/** Longest wait for a read, as a busy machine needs it. Milliseconds. */
const PATIENCE_MS = 1_000;
/** Longest wait for a read that follows a failed one: the store does not answer. Milliseconds. */
const FAILING_PATIENCE_MS = 30;
/** A value is kept for this long after its last use, and while the store does not answer. Milliseconds. */
const KEPT_MS = 600_000;
/** A read that takes longer fails, and the next one begins. Milliseconds. */
const READ_DEADLINE_MS = 900;
/** Maximum keys per read. */
const MOST_TOGETHER = 1_000;

/** A value as a process last read it. */
export interface Cached<Value> {
  value: Value;
  /** True when it was read within the second before it was asked for, or since; else the store does not answer in time. */
  isFresh: boolean;
  /** The moment before which nothing is fresh, by the monotonic clock. */
  oldestMs: number;
}

/** A cache in front of a store. It reads its values again in the background, so it mostly answers without the store. */
export interface ReadThroughCache<Value> {
  /**
   * Returns the value of a key; null when the store has none. For a value older than a second it waits for a read: up to
   * a second, but 30 ms while reads fail. Throws a store error when it has no value, or none of the last 10 minutes.
   */
  get(key: string): Promise<Cached<Value> | null>;
  /** Reads a key now, by a read that begins after the call. Throws a store error. */
  refresh(key: string): Promise<Value | null>;
  /** True when the value of a key is cached. */
  has(key: string): boolean;
  /** Forgets the value of a key that has changed, and reads it. Never rejects. */
  renew(key: string): Promise<void>;
}

/** Reads the values of keys, given the cached value of each (null: none). Keys that do not exist are left out. */
type Read<Value> = (
  ctx: Context,
  known: ReadonlyMap<string, Value | null>,
) => Promise<ReadonlyMap<string, Value>>;

interface Entry<Value> {
  value: Value;
  /** When the read began that brought it, by the monotonic clock. */
  readMs: number;
  /** When the newest read of the key was asked for. */
  askedMs: number;
  /** True when the newest finished read of the key has failed. */
  isFailing: boolean;
}

interface Limits<Value> {
  /** Maximum cached keys; the one that was used longest ago makes room. */
  max: number;
  /** True for values that are read together (default: all). The others, and those not known yet, are read alone. */
  isSmall?: (value: Value) => boolean;
  /** True for a value that is too old, however late it was read (default: never). */
  isOutdated?: (ctx: Context, value: Value) => boolean;
}

/** Declares a read-through cache of a process. `name` is for its log and its batches. */
export function readThroughCache<Value>(
  name: string,
  read: Read<Value>,
  limits: Limits<Value>,
): (ctx: Context) => ReadThroughCache<Value> {
  return perContext((ctx) => {
    const load = loader(ctx, name, read, limits);
    const entries = new LRUCache<string, Entry<Value>>({
      max: limits.max,
      ttl: KEPT_MS,
      ttlResolution: 0,
      updateAgeOnGet: true,
      noUpdateTTL: true,
    });
    const reads = new Map<string, Promise<Entry<Value> | null>>();
    /** When keys changed of which no read has been kept since. */
    const changes = new Map<string, number>();

    async function readNow(key: string): Promise<Entry<Value> | null> {
      const { readMs, entry } = await load(key, entries.peek(key));
      const newestMs = Math.max(entries.peek(key)?.readMs ?? 0, changes.get(key) ?? 0);
      if (readMs < newestMs) return entry;
      changes.delete(key);
      if (entry) entries.set(key, entry);
      else entries.delete(key);
      return entry;
    }
    function readOnce(key: string): Promise<Entry<Value> | null> {
      const running = reads.get(key);
      if (running) return running;
      const reading = readNow(key).finally(() => reads.delete(key));
      reads.set(key, reading);
      return reading;
    }
    const stop = every(REFRESH_MS, async () => {
      for (const key of entries.rkeys()) readOnce(key).catch(() => undefined);
    });
    ctx.onClose(() => void stop());
    return {
      get: async (key) => {
        const askedMs = performance.now();
        const oldestMs = askedMs - FRESH_MS;
        const known = entries.get(key);
        const isOutdated = (value: Value) => limits.isOutdated?.(ctx, value) ?? false;
        if (known && (known.readMs < oldestMs || isOutdated(known.value)))
          await waitFor(readOnce(key), known);
        let entry = (known && entries.get(key)) ?? null;
        if (!entry || askedMs - entry.readMs > KEPT_MS) entry = await readNow(key);
        if (!entry) return null;
        const { value, readMs } = entry;
        return { value, isFresh: readMs >= oldestMs && !isOutdated(value), oldestMs };
      },
      refresh: async (key) => (await readNow(key))?.value ?? null,
      has: (key) => entries.peek(key) !== undefined,
      renew: async (key) => {
        changes.set(key, performance.now());
        entries.delete(key);
        await readNow(key).catch(() => undefined);
      },
    };
  });
}

/** A read that follows a failed one is waited for from its beginning, whoever waits. */
async function waitFor(reading: Promise<unknown>, { isFailing, askedMs }: Entry<unknown>): Promise<void> {
  const leftMs = isFailing ? Math.max(0, askedMs + FAILING_PATIENCE_MS - performance.now()) : PATIENCE_MS;
  await within(leftMs, 'A read', reading).catch(() => undefined);
}

/** A read of a key: when it began, by the monotonic clock, and null where the store has no such key. */
interface Loaded<Value> {
  readMs: number;
  entry: Entry<Value> | null;
}

/** Returns a function that reads one key, in one batch with the others of this moment. */
function loader<Value>(
  ctx: Context,
  name: string,
  read: Read<Value>,
  { isSmall }: Limits<Value>,
): (key: string, known: Entry<Value> | undefined) => Promise<Loaded<Value>> {
  type Item = readonly [key: string, known: Value | null];
  const batching = {
    maxWeight: MOST_TOGETHER,
    weigh: () => 1,
    deadlineMs: READ_DEADLINE_MS,
    run: async (items: readonly Item[]) => {
      const readMs = performance.now();
      const found = await read(ctx, new Map(items));
      return items.map(([key]) => {
        const value = found.get(key);
        const entry = value === undefined ? null : { value, readMs, askedMs: readMs, isFailing: false };
        return { readMs, entry };
      });
    },
  };
  return async (key, known) => {
    const isAlone = isSmall !== undefined && !(known && isSmall(known.value));
    const batch = `${name} cache${isAlone ? ` ${key}` : ''}`;
    if (known) known.askedMs = performance.now();
    try {
      return await ctx.batcher.submit<Item, Loaded<Value>>(batch, [key, known?.value ?? null], batching);
    } catch (error) {
      if (known) known.isFailing = true;
      ctx.log.debug({ err: error, cache: name }, 'a cached value could not be read again');
      throw error;
    }
  };
}
