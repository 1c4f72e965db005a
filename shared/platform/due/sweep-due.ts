import { dateAt } from '../basics/clock.ts';
import { wakeAll } from '../context/commit-plan.ts';
import type { Context } from '../context/context.ts';
import { few } from '../context/few.ts';
import { perContext } from '../context/per-context.ts';
import { SWEPT_AHEAD_MS } from '../queues/job.ts';
import { type DueRow, dueJob, dueRows } from './model.ts';
import { wakeDue } from './plan-due.ts';

/** How long a due row may be late before it is taken for one without a live job. */
const GRACE_MS = 2_000;
/** Rows of one read, oldest first. A full one is followed by one of the kinds that it did not show. */
const READ_AT_MOST = 10_000;
const WAKE_OF_ONE_KIND = 2_000;

type Swept = Pick<DueRow, 'kind' | 'key' | 'due_at'>;
const SWEPT = { kind: 1, key: 1, due_at: 1 };

/**
 * Wakes what will soon be due, and whatever is due without having been done, of every kind: its job was lost with Redis,
 * is late, or has failed. Returns how many were late, by kind.
 */
export async function sweepDue(ctx: Context): Promise<ReadonlyMap<string, number>> {
  await wakeUpcoming(ctx);
  const lateSince = dateAt(ctx.clock.now() - GRACE_MS);
  const woken = new Map<string, Map<string, number>>();
  const most = few(ctx, READ_AT_MOST);
  let read = most;
  while (read === most) {
    read = 0;
    for await (const { kind, key, due_at } of findLate(ctx, lateSince, [...woken.keys()])) {
      read += 1;
      const ofKind = woken.get(kind) ?? new Map<string, number>();
      woken.set(kind, ofKind);
      if (!ofKind.has(key) && ofKind.size < WAKE_OF_ONE_KIND) ofKind.set(key, due_at.getTime());
    }
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

/** Until when this process has added the wake-ups of what will be due (epoch ms). */
const sweptUntil = perContext(() => ({ ms: 0 }));

/** Adds the wake-ups that commits left to the sweep. Redis holds those of the next seconds only, however much is open. */
async function wakeUpcoming(ctx: Context): Promise<void> {
  const nowMs = ctx.clock.now();
  const untilMs = nowMs + SWEPT_AHEAD_MS;
  const swept = sweptUntil(ctx);
  // A clock that was set back begins anew.
  const fromMs = swept.ms > untilMs ? 0 : swept.ms;
  const most = few(ctx, READ_AT_MOST);
  const due_at = { $gt: dateAt(Math.max(fromMs, nowMs - GRACE_MS)), $lte: dateAt(untilMs) };
  const rows = await dueRows(ctx)
    .find({ due_at })
    .project<Swept>(SWEPT)
    .sort({ due_at: 1 })
    .limit(most)
    .toArray();
  wakeAll(
    ctx,
    rows.map(({ kind, key, due_at }) => wakeDue(dueJob(kind), key, due_at.getTime())),
  );
  swept.ms = rows.length < most ? untilMs : (rows.at(-1)?.due_at.getTime() ?? untilMs);
}

/** The rows that have been due for longest, of all kinds but these. */
function findLate(ctx: Context, since: Date, seen: readonly string[]) {
  const others = seen.length === 0 ? {} : { kind: { $nin: [...seen] } };
  return dueRows(ctx)
    .find({ due_at: { $lte: since }, ...others })
    .project<Swept>(SWEPT)
    .sort({ due_at: 1 })
    .limit(few(ctx, READ_AT_MOST));
}
