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
import { dueRows } from '../../../../platform/due/model.ts';
import { describeSchema } from '../../../exports/focus/export-focus.ts';
import { readDaily } from '../../closing/read-usage.ts';
import { ExportFailure, RunLost } from '../failures.ts';
import type { Destination } from '../model.ts';
import type { RestOfRun } from '../schedule.ts';
import { openStore } from '../stores/open-store.ts';
import type { ObjectStore } from '../stores/store.ts';
import { beginRun } from './begin-run.ts';
import { endRun, type Outcome } from './end-run.ts';
import { takePlace } from './place.ts';
import type { Running, Writing } from './run.ts';
import { openSpool } from './spool.ts';
import { type ClosedDay, readClosedDays, targetsOf } from './targets.ts';
import { type Watch, watchRun } from './watch-run.ts';
import { writePartition } from './write-partition.ts';

/** The pause before the next turn of a run. Another destination of its organization looks for a place more often. Milliseconds. */
const PAUSE_MS = 2_000;

/**
 * Runs what is due for a destination: writes each finished day of each level that is not there as it should be, newest first. May be
 * killed anywhere and repeated. A failure of the place is recorded; one of our own stores is thrown, and the run comes again.
 * Returns when to come again (epoch ms) where it came too early, and when its turn is over: then it goes on with the next day.
 */
export async function runDestination(
  ctx: Context,
  id: string,
  open: typeof openStore = openStore,
): Promise<{ notBeforeMs: number } | undefined> {
  const running = await beginRun(ctx, id);
  if (running === null) return undefined;
  if ('notBeforeMs' in running) return running;
  const unchanged = running.rest?.unchanged ?? 0;
  const outcome: Outcome = { unchanged, failure: null, through: null, conditionalWrites: null };
  const watch = watchRun(ctx, running);
  try {
    if (!running.destination.enabled) throw new ExportFailure('stale', 'the destination is paused');
    const store = open(ctx, running.destination, watch.signal);
    const rest = await writeDays(ctx, running, outcome, { store, watch });
    if (rest !== null) return await giveWay(ctx, running, rest);
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

/** Keeps the rest of a run for its next turn, unless another worker has claimed it. */
async function giveWay(ctx: Context, { claim }: Running, rest: RestOfRun): Promise<{ notBeforeMs: number }> {
  await dueRows(ctx).updateOne({ _id: claim._id, claim_id: claim.claim_id }, { $set: { rest } });
  return { notBeforeMs: ctx.clock.now() + PAUSE_MS };
}

/** Writes the days of a run, newest first. Returns the rest where its turn is over before; null when all are there. */
async function writeDays(
  ctx: Context,
  running: Running,
  outcome: Outcome,
  { store, watch }: { store: ObjectStore; watch: Watch },
): Promise<RestOfRun | null> {
  const { destination, run } = running;
  outcome.conditionalWrites = await takePlace(ctx, store, destination);
  await writeMetadata(store, destination);
  const last = running.rest?.last ?? lastFinishedDay(ctx.clock.now());
  const { folder, remove } = await openSpool(ctx.config, destination._id, ctx.clock.now());
  try {
    const writing = { ...running, store, folder };
    const days = daysOf(running, last);
    const closed = await readClosedDays(ctx, writing, days);
    for (const [place, day] of days.entries()) {
      watch.signal.throwIfAborted();
      outcome.unchanged += await writeDay(ctx, writing, { day, closed: closed.get(day) ?? [] });
      const next = days[place + 1];
      if (next === undefined || !watch.isTurnOver()) continue;
      const { unchanged } = outcome;
      return { day: next, last, unchanged, workedMs: watch.workedMs(), revision: destination.revision };
    }
    if (run.from === null && run.to === null) outcome.through = laterOf(last, dayBefore(destination.since));
  } finally {
    await remove();
  }
  return null;
}

function daysOf({ destination: { since }, run: { from, to }, rest }: Running, last: string): string[] {
  return daysDescending(laterOf(since, from ?? since), rest?.day ?? earlierOf(last, to ?? last));
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
