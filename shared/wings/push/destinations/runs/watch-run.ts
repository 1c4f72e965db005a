import type { Context } from '../../../../platform/context/context.ts';
import { ExportFailure, RunLost } from '../failures.ts';
import { confirmRun, type Running } from './run.ts';

/** The longest that a run may take. Milliseconds. */
const LONGEST_MS = 6 * 3_600_000;
/** How often a run is confirmed while it waits for its place. Milliseconds. */
const LOOK_MS = 10_000;
const LEAST_LOOK_MS = 50;

/** A run whose signal ends every request of it. */
export interface Watch {
  signal: AbortSignal;
  stop: () => void;
}

/**
 * Watches a run until `stop`. The signal is aborted after six hours, when another worker has claimed the run, and when its
 * destination is changed or deleted; the reason is the error that ends the run.
 */
export function watchRun(ctx: Context, running: Running): Watch {
  const controller = new AbortController();
  const endsMs = ctx.clock.now() + LONGEST_MS;
  const look = async () => {
    try {
      await confirmRun(ctx, running);
      if (ctx.clock.now() > endsMs) controller.abort(new ExportFailure('timeout'));
    } catch (error) {
      // Our own stores may be away for a moment: the next look tells.
      if (error instanceof RunLost || error instanceof ExportFailure) controller.abort(error);
    }
  };
  const everyMs = Math.max(LOOK_MS / ctx.config.timeScale, LEAST_LOOK_MS);
  const timer = setInterval(() => void look(), everyMs);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}
