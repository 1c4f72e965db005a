import { dateAt } from '../basics/clock.ts';
import { commitPlan } from '../context/commit-plan.ts';
import type { Context } from '../context/context.ts';
import { deleteRows, insertRow } from '../mongo/writes.ts';
import { findDue } from './claim-due.ts';
import { type DueJob, dueRows } from './model.ts';

/** How long what has failed waits, growing from time to time. Milliseconds. */
const WAIT_MS = { first: 5_000, growth: 2, most: 300_000 } as const;

/**
 * Puts off what is due for a key after its work has failed, so that what always fails neither runs all the time nor
 * stands before the rest. The sweeper wakes it again.
 */
export async function postponeDue(ctx: Context, job: DueJob, key: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const nowMs = ctx.clock.now();
    const found = await findDue(ctx, job, key, transaction);
    const due = found.filter(({ due_at }) => due_at.getTime() <= nowMs);
    if (due.length === 0) return { result: undefined };
    const later = due.map((row) => {
      const failures = (row.failures ?? 0) + 1;
      return insertRow(dueRows, { ...row, failures, due_at: dateAt(nowMs + waitMs(failures)) });
    });
    const ids = due.map(({ _id }) => _id);
    return {
      writes: [deleteRows(dueRows, { _id: { $in: ids } }), ...later],
      result: undefined,
    };
  });
}

function waitMs(failures: number): number {
  return Math.min(WAIT_MS.first * WAIT_MS.growth ** (failures - 1), WAIT_MS.most);
}
