import type { Context } from '../platform/context/context.ts';
import { evaluateBudgetsJob } from './jobs.ts';

/** Commits of an organization within one of these share an evaluation. Milliseconds. */
const COALESCE_MS = 250;

/**
 * Wakes the evaluation of an organization's budgets, after the commit. The job of a slice of time runs at the end of
 * that slice, so whatever was committed in it is seen; a later commit has a job of its own.
 */
export function wakeEvaluation(ctx: Context, orgId: string): void {
  const nowMs = ctx.clock.now();
  const slice = Math.floor(nowMs / COALESCE_MS);
  ctx.queues.wake(evaluateBudgetsJob, [
    { id: `${orgId}-${slice}`, job: { org_id: orgId }, delayMs: (slice + 1) * COALESCE_MS - nowMs },
  ]);
}
