import { every } from '../shared/platform/basics/every.ts';
import { CLOCK_TOLERANCE_MS, measureClockSkew } from '../shared/platform/context/clock-skew.ts';
import type { Context } from '../shared/platform/context/context.ts';
import { clockSkew } from '../shared/platform/context/metrics.ts';

/** How often the clock is compared: for this long work may go by a clock that has been set wrong. */
const LOOK_MS = 2_000;

/**
 * Runs what goes by the clock while that is right, and ends it while it is not: a worker whose clock is ahead would end
 * sessions and repeat attempts too early, for good. Others do its work meanwhile. `start` returns how to stop. Nothing is
 * started before a store has shown its time. Returns how to stop all of it.
 */
export function runWhileClockIsRight(
  ctx: Context,
  start: () => () => Promise<void>,
  lookMs = LOOK_MS,
): () => Promise<void> {
  let stop: (() => Promise<void>) | null = null;

  async function look(): Promise<void> {
    const skewMs = await measureClockSkew(ctx);
    if (skewMs === null) return;
    clockSkew(ctx).set(skewMs / 1_000);
    const isRight = Math.abs(skewMs) <= CLOCK_TOLERANCE_MS;
    if (isRight && !stop) stop = start();
    if (isRight || !stop) return;
    ctx.log.error({ skew_ms: skewMs }, 'the clock of this process is wrong; its jobs wait until it is right');
    await stop();
    stop = null;
  }

  const stopLooking = every(lookMs, look);
  return async () => {
    await stopLooking();
    await stop?.();
  };
}
