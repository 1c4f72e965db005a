import { within } from '../basics/within.ts';
import type { Context } from './context.ts';
import { perContext } from './per-context.ts';

/** How often what is remembered is read again. Milliseconds. */
const REFRESH_MS = 400;
/** A value that was read longer before it is asked for is not fresh. Milliseconds. */
const FRESH_MS = 1_000;
/** How long a recall waits for a read, as a busy machine needs it. Milliseconds. */
const PATIENCE_MS = 1_000;
/** How long it waits for a read of which the one before has failed: the store does not answer. Milliseconds. */
const FAILING_PATIENCE_MS = 30;
/** How long a value is kept after it was last asked for, and while the store does not answer. Milliseconds. */
const KEPT_MS = 600_000;
/** A read that takes longer has failed; the next one begins. */
const READ_DEADLINE_MS = 900;
/** Keys of one read. */
const MOST_TOGETHER = 1_000;

/** What a process remembers under a key. */
export interface Recollection<Value> {
  value: Value;
  /** True when it was read within the second before the recall, or since; else the store does not answer in time. */
  isFresh: boolean;
  /** The moment before which nothing is fresh, by the monotonic clock. */
  oldestMs: number;
}

/** A memory that answers without asking the store: it is read again in the background. */
export interface Memory<Value> {
  /**
   * Returns what is known of a key; null when there is nothing of that name. When its value is older than a second, it waits for
   * a read: up to a second, but not while reads fail. It waits for as long as a read takes when it has nothing. Throws a
   * store error when it has nothing, or nothing of the last 10 minutes.
   */
  recall(key: string): Promise<Recollection<Value> | null>;
  /** Reads a key now. Throws a store error. */
  refresh(key: string): Promise<Value | null>;
  /** True when anything is remembered of a key. */
  knows(key: string): boolean;
  /**
   * Reads a key that has changed. From then on nothing from before is recalled: when the read fails, what was remembered is
   * forgotten. Never rejects.
   */
  renew(key: string): Promise<void>;
}

/** What keys are now, by what is remembered of each; one that does not exist is left out. */
type Read<Value> = (known: ReadonlyMap<string, Value | null>) => Promise<ReadonlyMap<string, Value>>;

interface Entry<Value> {
  /** Null: forgotten. */
  value: Value | null;
  /** When the read began that brought it, or it was forgotten, by the monotonic clock: no earlier read is kept. */
  readMs: number;
  /** True when the last read has failed. */
  isFailing: boolean;
  askedMs: number;
  /** The read that is under way, and when it was asked for. */
  reading: { sinceMs: number; done: Promise<void> } | null;
}

interface State<Value> {
  ctx: Context;
  name: string;
  read: Read<Value>;
  /** In the order in which they were asked for. */
  entries: Map<string, Entry<Value>>;
  limits: Limits<Value>;
}

interface Limits<Value> {
  /** The most keys that are kept: beyond them the one that nobody has asked for longest goes. */
  max: number;
  /** Which keys are read together (default: all). The others, and those that are not known yet, are read alone. */
  isSmall?: (value: Value) => boolean;
}

/** Declares a memory of a process beside its context. `read` runs for many keys together. */
export function rememberedFrom<Value>(
  name: string,
  read: (ctx: Context, known: Parameters<Read<Value>>[0]) => ReturnType<Read<Value>>,
  limits: Limits<Value>,
): (ctx: Context) => Memory<Value> {
  return perContext((ctx) => {
    const state: State<Value> = { ctx, name, read: (known) => read(ctx, known), entries: new Map(), limits };
    const timer = setInterval(() => refreshAll(state), REFRESH_MS);
    timer.unref();
    ctx.onClose(() => clearInterval(timer));
    return {
      recall: (key) => recall(state, key),
      refresh: (key) => refresh(state, key),
      knows: (key) => knows(state, key),
      renew: (key) => renew(state, key),
    };
  });
}

async function recall<Value>(state: State<Value>, key: string): Promise<Recollection<Value> | null> {
  const { entries } = state;
  const askedMs = performance.now();
  const known = entries.get(key);
  if (!known || known.value === null) return recallAnew(state, key, askedMs);
  known.askedMs = askedMs;
  entries.delete(key);
  entries.set(key, known);
  const oldestMs = askedMs - FRESH_MS;
  if (known.readMs >= oldestMs) return { value: known.value, isFresh: true, oldestMs };
  await waitForRead(state, key, known);
  const entry = entries.get(key);
  if (!entry) return null;
  const { value, readMs } = entry;
  if (value === null || askedMs - readMs > KEPT_MS) return recallAnew(state, key, askedMs);
  return { value, isFresh: readMs >= oldestMs, oldestMs };
}

/** Waits for the read that is under way, or a new one. One that follows a failed one has begun to wait when it began. */
async function waitForRead<Value>(state: State<Value>, key: string, entry: Entry<Value>): Promise<void> {
  const { sinceMs, done } = entry.reading ?? beginReading(state, key, entry);
  const leftMs = entry.isFailing
    ? Math.max(0, sinceMs + FAILING_PATIENCE_MS - performance.now())
    : PATIENCE_MS;
  await within(leftMs, 'A read', done).catch(() => undefined);
}

async function recallAnew<Value>(
  state: State<Value>,
  key: string,
  askedMs: number,
): Promise<Recollection<Value> | null> {
  const value = await refresh(state, key);
  return value === null ? null : { value, isFresh: true, oldestMs: askedMs - FRESH_MS };
}

function knows<Value>({ entries }: State<Value>, key: string): boolean {
  return (entries.get(key)?.value ?? null) !== null;
}

async function renew<Value>(state: State<Value>, key: string): Promise<void> {
  const changedMs = performance.now();
  try {
    await refresh(state, key);
  } catch (error) {
    state.ctx.log.debug(
      { err: error, memory: state.name },
      'what has changed could not be read, and is forgotten',
    );
    const entry = state.entries.get(key);
    if (entry && entry.readMs < changedMs) Object.assign(entry, { value: null, readMs: changedMs });
  }
}

function refreshAll<Value>(state: State<Value>): void {
  const forgetBeforeMs = performance.now() - KEPT_MS;
  for (const [key, entry] of state.entries) {
    if (entry.askedMs < forgetBeforeMs) state.entries.delete(key);
    else if (entry.reading === null && entry.value !== null) beginReading(state, key, entry);
  }
}

function beginReading<Value>(state: State<Value>, key: string, entry: Entry<Value>) {
  const reading = { sinceMs: performance.now(), done: readOnce() };
  entry.reading = reading;
  return reading;

  async function readOnce(): Promise<void> {
    try {
      await refresh(state, key);
    } catch (error) {
      entry.isFailing = true;
      state.ctx.log.debug({ err: error, memory: state.name }, 'what is remembered could not be read again');
    } finally {
      entry.reading = null;
    }
  }
}

function refresh<Value>(state: State<Value>, key: string): Promise<Value | null> {
  const { isSmall } = state.limits;
  const value = state.entries.get(key)?.value ?? null;
  const isAlone = isSmall !== undefined && !(value !== null && isSmall(value));
  return state.ctx.batcher.submit(`memory ${state.name}${isAlone ? ` ${key}` : ''}`, key, {
    maxWeight: MOST_TOGETHER,
    weigh: () => 1,
    deadlineMs: READ_DEADLINE_MS,
    run: (keys) => readTogether(state, keys),
  });
}

async function readTogether<Value>(state: State<Value>, keys: readonly string[]): Promise<(Value | null)[]> {
  const readMs = performance.now();
  const found = await state.read(new Map(keys.map((key) => [key, state.entries.get(key)?.value ?? null])));
  return keys.map((key) => {
    const value = found.get(key);
    if (value === undefined) state.entries.delete(key);
    else keep(state, key, value, readMs);
    return value ?? null;
  });
}

function keep<Value>({ entries, limits }: State<Value>, key: string, value: Value, readMs: number): void {
  const entry = entries.get(key);
  // A read that was given up may come after a later one.
  if (entry && entry.readMs > readMs) return;
  if (entry) Object.assign(entry, { value, readMs, isFailing: false });
  else entries.set(key, { value, readMs, isFailing: false, askedMs: performance.now(), reading: null });
  const [oldest] = entries.keys();
  if (entries.size > limits.max && oldest !== undefined) entries.delete(oldest);
}
