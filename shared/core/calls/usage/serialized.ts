import { DomainError } from '../../../platform/basics/errors.ts';
import type { Batching } from '../../../platform/context/batcher.ts';
import type { Context } from '../../../platform/context/context.ts';

/**
 * Reads answers of one organization one after the other, with a rest after each long one: an answer may have 100,000
 * sums, and a process would hold a hundred of them. Throws `overloaded`, and reads nothing, when its turn comes only
 * after 20 s.
 */
export function serialized<Answer>(
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
  const askedMs = performance.now();
  const readInTime = async () => {
    if (performance.now() - askedMs < LONGEST_WAIT_MS) return read();
    throw new DomainError('overloaded', 'Too many questions of this organization wait for their turn.');
  };
  return ctx.batcher.submit(`groups ${orgId}`, readInTime, batching);
}

/** Answers with some dozens of groups take less. */
const LONG_READ_MS = 100;

/** An api answers within 25 s. A later turn would answer a caller that is gone. */
const LONGEST_WAIT_MS = 20_000;
