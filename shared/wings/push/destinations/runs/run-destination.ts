import { earliestCountedMs } from '../../../../core/calls/usage/calendar.ts';
import { isStoreError } from '../../../../platform/basics/errors.ts';
import { DAY_MS } from '../../../../platform/basics/interval.ts';
import {
  dayBefore,
  daysDescending,
  lastFinishedDay,
  startOfDay,
} from '../../../../platform/basics/utc-days.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { describeSchema } from '../../../exports/focus/export-focus.ts';
import { readDaily } from '../../closing/read-usage.ts';
import { ExportFailure, RunLost } from '../failures.ts';
import type { Destination, ExportRun } from '../model.ts';
import { openStore } from '../stores/open-store.ts';
import type { ObjectStore } from '../stores/store.ts';
import { beginRun } from './begin-run.ts';
import { endRun, type Outcome } from './end-run.ts';
import { takePlace } from './place.ts';
import type { Running, Writing } from './run.ts';
import { openSpool } from './spool.ts';
import { type ClosedDay, readClosedDays, targetsOf } from './targets.ts';
import { watchRun } from './watch-run.ts';
import { writePartition } from './write-partition.ts';

/**
 * Runs what is due for a destination: writes each finished day of each level that is not there as it should be, newest first. May be
 * killed anywhere and repeated. A failure of the place is recorded; one of our own stores is thrown, and the run comes again.
 * Returns when to come again (epoch ms) where it came too early.
 */
export async function runDestination(
  ctx: Context,
  id: string,
  open: typeof openStore = openStore,
): Promise<{ notBeforeMs: number } | undefined> {
  const running = await beginRun(ctx, id);
  if (running === null) return undefined;
  if ('notBeforeMs' in running) return running;
  const outcome: Outcome = { unchanged: 0, failure: null, through: null, conditionalWrites: null };
  const watch = watchRun(ctx, running);
  try {
    if (!running.destination.enabled) throw new ExportFailure('stale', 'the destination is paused');
    const store = open(ctx, running.destination, watch.signal);
    await writeDays(ctx, running, outcome, { store, signal: watch.signal });
  } catch (error) {
    if (error instanceof RunLost) return undefined;
    // A place that refuses a connection fails with the same words as a store of ours.
    if (!(error instanceof ExportFailure) && isStoreError(error)) throw error;
    outcome.failure = failureOf(ctx, running, error);
    outcome.through = null;
  } finally {
    watch.stop();
  }
  await endRun(ctx, running, outcome);
  return undefined;
}

function failureOf(ctx: Context, { destination, run }: Running, error: unknown): ExportFailure {
  const failure = error instanceof ExportFailure ? error : new ExportFailure('unexpected', '', error);
  const fields = { destination_id: destination._id, run_id: run._id, code: failure.code };
  const isOurs = failure.code === 'unexpected' || failure.code === 'sums_differ';
  ctx.log[isOurs ? 'error' : 'warn']({ ...fields, err: failure }, 'a run of an export destination failed');
  return failure;
}

async function writeDays(
  ctx: Context,
  running: Running,
  outcome: Outcome,
  { store, signal }: { store: ObjectStore; signal: AbortSignal },
): Promise<void> {
  const { destination, run } = running;
  outcome.conditionalWrites = await takePlace(ctx, store, destination);
  await writeMetadata(store, destination);
  const last = lastFinishedDay(ctx.clock.now());
  const { folder, remove } = await openSpool(ctx.config, destination._id, ctx.clock.now());
  try {
    const writing = { ...running, store, folder };
    const days = daysOf(destination, run, last);
    const closed = await readClosedDays(ctx, writing, days);
    for (const day of days) {
      signal.throwIfAborted();
      outcome.unchanged += await writeDay(ctx, writing, { day, closed: closed.get(day) ?? [] });
    }
    if (run.from === null && run.to === null) outcome.through = laterOf(last, dayBefore(destination.since));
  } finally {
    await remove();
  }
}

function daysOf({ since }: Destination, { from, to }: ExportRun, last: string): string[] {
  return daysDescending(laterOf(since, from ?? since), earlierOf(last, to ?? last));
}

function laterOf(a: string, b: string): string {
  return a > b ? a : b;
}

function earlierOf(a: string, b: string): string {
  return a < b ? a : b;
}

/** Writes a day at all levels and in all billing periods that have some of it, and returns how many partitions were unchanged. */
async function writeDay(ctx: Context, writing: Writing, of: ClosedDay): Promise<number> {
  const { destination, run } = writing;
  const isSettled = !run.force && wasSeenLast(destination, of.day);
  const daily = await readDaily(ctx, writing.organization, startOfDay(of.day), { isSettled });
  let unchanged = 0;
  for (const level of destination.levels)
    for (const target of await targetsOf(ctx, writing, level, of))
      if ((await writePartition(ctx, writing, target, daily)) === 'unchanged') unchanged += 1;
  return unchanged;
}

/** Returns true for a day that a successful run has read after its last change. */
function wasSeenLast({ through }: Destination, day: string): boolean {
  return startOfDay(day) < earliestCountedMs(startOfDay(through) + DAY_MS);
}

/** Writes the description of the columns beside FOCUS files, where it is not there as it should be. */
async function writeMetadata(store: ObjectStore, { prefix, levels }: Destination): Promise<void> {
  for (const { focus_version } of levels) {
    if (focus_version === undefined) continue;
    const key = `${prefix}/focus/${focus_version}/focus_metadata.json`;
    const text = `${JSON.stringify(describeSchema(focus_version), null, 2)}\n`;
    if ((await store.read(key))?.text !== text) await store.putText(key, text, 'any');
  }
}
