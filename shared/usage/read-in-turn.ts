import type { Batching } from '../platform/context/batcher.ts';
import type { Context } from '../platform/context/context.ts';

/**
 * `read` in its turn: answers with groups may have thousands of them, so those of one organization are read one after
 * the other, with a rest after each long one. Others wait for one of them at most, and not all the time.
 */
export function readInTurn<Answer>(
  ctx: Context,
  orgId: string,
  read: () => Promise<Answer>,
): Promise<Answer> {
  const batching: Batching<() => Promise<Answer>, Answer> = {
    maxWeight: 1,
    weigh: () => 1,
    restAfterMs: LONG_READ_MS,
    run: (reads) => Promise.all(reads.map((one) => one())),
  };
  return ctx.batcher.submit(`groups ${orgId}`, read, batching);
}

/** Answers with some dozens of groups take less. */
const LONG_READ_MS = 100;
