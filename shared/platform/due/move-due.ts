import type { ClientSession } from 'mongoose';
import { commitPlan, joinPlans, type Plan } from '../context/commit-plan.ts';
import type { Context } from '../context/context.ts';
import { type DueJob, type DueRow, dueRows } from './model.ts';
import { clearDue, readDue, setDue } from './plan-due.ts';

/** Due rows that one transaction moves. */
const MOVED_AT_ONCE = 500;

/** The last due row that was moved, by its id. */
interface Moved {
  last: string;
}

/** The plan that has `mover` move due rows of an organization, after a change of what their times follow from. */
export function planMove(mover: DueJob, orgId: string, nowMs: number): Plan {
  return setDue<Moved>(mover, { key: orgId, orgId, dueMs: nowMs, details: { last: '' } });
}

/**
 * Moves the due rows of `moved` of an organization, some per transaction, each as `plan` says. A worker that dies is followed
 * by one that goes on where it was.
 */
export async function moveDue<Details extends object>(
  ctx: Context,
  orgId: string,
  { mover, moved }: { mover: DueJob; moved: DueJob },
  plan: (rows: readonly (DueRow & Details)[], transaction: ClientSession) => Promise<readonly Plan[]>,
): Promise<void> {
  const moveSome = () =>
    commitPlan(ctx, async (transaction) => {
      const due = await readDue<Moved>(ctx, mover, orgId, transaction);
      if (!due) return { result: false };
      const rows = (await dueRows(ctx)
        .find({ kind: moved.kind, org_id: orgId, _id: { $gt: due.last } }, { session: transaction })
        .sort({ _id: 1 })
        .limit(MOVED_AT_ONCE)
        .toArray()) as (DueRow & Details)[];
      const isMore = rows.length === MOVED_AT_ONCE;
      const details: Moved = { last: rows.at(-1)?._id ?? due.last };
      const rest = isMore
        ? setDue(mover, { key: orgId, orgId, dueMs: due.due_at.getTime(), details })
        : { writes: [clearDue(mover, orgId)], wakeUps: [] };
      return { ...joinPlans(...(await plan(rows, transaction)), rest), result: isMore };
    });
  while (await moveSome());
}
