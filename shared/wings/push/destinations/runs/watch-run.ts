import type { Context } from '../../../../platform/context/context.ts';
import { perContext } from '../../../../platform/context/per-context.ts';
import { ExportFailure, RunLost } from '../failures.ts';
import { runDestinationJob } from '../jobs.ts';
import { confirmRun, type Running } from './run.ts';

/** The longest that a run may have a place, in all of its turns. Milliseconds. */
const LONGEST_MS = 6 * 3_600_000;
/** The time after which a run gives its place to others, once the day that it writes is there. Milliseconds. */
const TURN_MS = 60_000;
/** Runs at once in a worker. */
export const RUNS_AT_ONCE = 4;
/** Runs of a process that may go on with their day after their turn while others wait. */
const LATE_AT_MOST = RUNS_AT_ONCE / 2;
/** How often a run is confirmed while it waits for its place. Milliseconds. */
const LOOK_MS = 10_000;
const LEAST_LOOK_MS = 50;

/** A run whose signal ends every request of it. */
export interface Watch {
  signal: AbortSignal;
  isTurnOver(): boolean;
  /** The time that the run has had a place, in all of its turns. Milliseconds. */
  workedMs(): number;
  stop(): void;
}

/** The runs of this process whose turn is over, the one that was first to be late at first. */
const lateRuns = perContext(() => new Set<AbortController>());

/**
 * Watches a turn of a run until `stop`. The signal is aborted after six hours, when another worker has claimed the run, when its
 * destination is changed or deleted, and when it has been late for longest of too many that are late while others wait; the reason is
 * the error that ends the run.
 */
export function watchRun(ctx: Context, running: Running): Watch {
  const controller = new AbortController();
  const beganMs = ctx.clock.now();
  const workedMs = () => ctx.clock.now() - beganMs + (running.rest?.workedMs ?? 0);
  const isTurnOver = () => ctx.clock.now() - beganMs >= TURN_MS;
  let isStopped = false;
  const look = async () => {
    try {
      await confirmRun(ctx, running);
      if (isStopped || controller.signal.aborted) return;
      if (workedMs() > LONGEST_MS) controller.abort(new ExportFailure('timeout'));
      else if (isTurnOver() && (await isInTheWay(ctx, controller)))
        controller.abort(new ExportFailure('timeout', 'others wait'));
    } catch (error) {
      // Our own stores may be away for a moment: the next look tells.
      if (error instanceof RunLost || error instanceof ExportFailure) controller.abort(error);
    }
  };
  const everyMs = Math.max(LOOK_MS / ctx.config.timeScale, LEAST_LOOK_MS);
  const timer = setInterval(() => void look(), everyMs);
  const stop = () => {
    isStopped = true;
    clearInterval(timer);
    lateRuns(ctx).delete(controller);
  };
  return { signal: controller.signal, isTurnOver, workedMs, stop };
}

/** Returns true for the run that has been late for longest, where more are late than may be and runs of others wait for a place. */
async function isInTheWay(ctx: Context, run: AbortController): Promise<boolean> {
  const runs = lateRuns(ctx);
  runs.add(run);
  const [longest] = runs;
  if (runs.size <= LATE_AT_MOST || longest !== run) return false;
  const waiting = await ctx.queues.of(runDestinationJob.kind).getWaitingCount();
  return waiting > 0 && runs.delete(run);
}
