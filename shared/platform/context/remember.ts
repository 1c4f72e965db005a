import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from './context.ts';
import { perContext } from './per-context.ts';

/** What is remembered is read again this often. Milliseconds. */
const REFRESH_MS = 400;
/** What was read longer ago is not fresh. Milliseconds. */
const FRESH_MS = 1_000;
/** For so long it is kept after it was last asked for, and while the store does not answer. Milliseconds. */
const KEPT_MS = 600_000;
/** A read that takes longer has failed; the next one begins. */
const READ_DEADLINE_MS = 900;
const MOST_TOGETHER = 1_000;

/** What a process remembers under a key. */
export interface Recollection<Value> {
  value: Value;
  /** Whether it was read within the last second; else the store does not answer. */
  isFresh: boolean;
}

/** A memory that answers without asking the store: it is read again in the background. */
export interface Memory<Value> {
  /**
   * What is known of a key; null when there is nothing of that name. Waits at most `patienceMs` for a read when what it
   * has is older than a second, and for as long as a read takes when it has nothing. Throws a store error when it has
   * nothing, or nothing of the last 10 minutes.
   */
  recall(key: string, patienceMs: number): Promise<Recollection<Value> | null>;
  /** Reads a key now. Throws a store error. */
  refresh(key: string): Promise<Value | null>;
}

interface Entry<Value> {
  value: Value;
  /** When the read began that brought it, by the monotonic clock. */
  readMs: number;
  askedMs: number;
  /** The read that is under way, and when it was asked for. */
  reading: { since: number; done: Promise<unknown> } | null;
}

/**
 * Declares a memory of a process beside its context. `read` gets keys and what is remembered of them, and returns what
 * each is now, or null; it runs for all keys together. At most `max` keys are kept: the one not asked for longest goes.
 */
export function rememberedFrom<Value>(
  name: string,
  read: (ctx: Context, known: ReadonlyMap<string, Value | null>) => Promise<ReadonlyMap<string, Value>>,
  { max }: { max: number },
): (ctx: Context) => Memory<Value> {
  return perContext((ctx) => createMemory<Value>(ctx, name, (known) => read(ctx, known), max));
}

function createMemory<Value>(
  ctx: Context,
  name: string,
  read: (known: ReadonlyMap<string, Value | null>) => Promise<ReadonlyMap<string, Value>>,
  max: number,
): Memory<Value> {
  // In the order in which they were asked for.
  const entries = new Map<string, Entry<Value>>();
  const timer = setInterval(refreshAll, REFRESH_MS);
  timer.unref();
  ctx.onClose(() => clearInterval(timer));

  function refreshAll(): void {
    const forgetBeforeMs = performance.now() - KEPT_MS;
    for (const [key, entry] of entries) {
      if (entry.askedMs < forgetBeforeMs) entries.delete(key);
      else if (entry.reading === null) startReading(key, entry);
    }
  }

  function startReading(key: string, entry: Entry<Value>): Promise<unknown> {
    const done = refresh(key).catch((error: unknown) => {
      ctx.log.debug({ err: error, memory: name }, 'what is remembered could not be read again');
    });
    const reading = { since: performance.now(), done };
    entry.reading = reading;
    done.finally(() => {
      if (entry.reading === reading) entry.reading = null;
    });
    return done;
  }

  function refresh(key: string): Promise<Value | null> {
    return ctx.batcher.submit(`memory ${name}`, key, {
      maxWeight: MOST_TOGETHER,
      weigh: () => 1,
      deadlineMs: READ_DEADLINE_MS,
      run: readTogether,
    });
  }

  async function readTogether(keys: readonly string[]): Promise<(Value | null)[]> {
    const readMs = performance.now();
    const found = await read(new Map(keys.map((key) => [key, entries.get(key)?.value ?? null])));
    return keys.map((key) => {
      const value = found.get(key);
      if (value === undefined) entries.delete(key);
      else keep(key, value, readMs);
      return value ?? null;
    });
  }

  function keep(key: string, value: Value, readMs: number): void {
    const entry = entries.get(key);
    // A read that was given up may come after a later one.
    if (entry && entry.readMs > readMs) return;
    if (entry) Object.assign(entry, { value, readMs });
    else entries.set(key, { value, readMs, askedMs: performance.now(), reading: null });
    const [oldest] = entries.keys();
    if (entries.size > max && oldest !== undefined) entries.delete(oldest);
  }

  async function recall(key: string, patienceMs: number): Promise<Recollection<Value> | null> {
    const known = entries.get(key);
    if (!known) {
      const value = await refresh(key);
      return value === null ? null : { value, isFresh: true };
    }
    const nowMs = performance.now();
    known.askedMs = nowMs;
    entries.delete(key);
    entries.set(key, known);
    if (nowMs - known.readMs <= FRESH_MS) return { value: known.value, isFresh: true };
    const begun = known.reading?.since ?? nowMs;
    const reading = known.reading?.done ?? startReading(key, known);
    await Promise.race([reading, wait(Math.max(0, begun + patienceMs - nowMs))]);
    const entry = entries.get(key);
    if (!entry) return null;
    if (performance.now() - entry.readMs > KEPT_MS) return recallAnew(key);
    return { value: entry.value, isFresh: performance.now() - entry.readMs <= FRESH_MS };
  }

  async function recallAnew(key: string): Promise<Recollection<Value> | null> {
    const value = await refresh(key);
    return value === null ? null : { value, isFresh: true };
  }

  return { recall, refresh };
}
