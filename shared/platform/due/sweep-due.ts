import { dateAt } from '../basics/clock.ts';
import { wakeAll } from '../context/commit-plan.ts';
import type { Context } from '../context/context.ts';
import { type DueRow, dueJob, dueRows } from './model.ts';
import { wakeDue } from './plan-due.ts';

/** How long a due row may be late before it is taken for one without a live job. */
const GRACE_MS = 2_000;
const READ_AT_MOST = 10_000;
/** So that many rows of one kind never hide those of another. */
const WAKE_OF_ONE_KIND = 2_000;

/**
 * Wakes whatever is due without having been done, of every kind: its job was lost with Redis, is late, or has failed.
 * Returns how many it woke, by kind.
 */
export async function sweepDue(ctx: Context): Promise<ReadonlyMap<string, number>> {
  const late = dueRows(ctx)
    .find({ due_at: { $lte: dateAt(ctx.clock.now() - GRACE_MS) } })
    .project<Pick<DueRow, 'kind' | 'key' | 'due_at'>>({ kind: 1, key: 1, due_at: 1 })
    .sort({ due_at: 1 })
    .limit(READ_AT_MOST);
  const woken = new Map<string, Map<string, number>>();
  for await (const { kind, key, due_at } of late) {
    const ofKind = woken.get(kind) ?? new Map<string, number>();
    woken.set(kind, ofKind);
    if (!ofKind.has(key) && ofKind.size < WAKE_OF_ONE_KIND) ofKind.set(key, due_at.getTime());
  }
  for (const [kind, dueMsByKey] of woken) {
    const job = dueJob(kind);
    wakeAll(
      ctx,
      [...dueMsByKey].map(([key, dueMs]) => wakeDue(job, key, dueMs)),
    );
  }
  return new Map([...woken].map(([kind, { size }]) => [kind, size]));
}
