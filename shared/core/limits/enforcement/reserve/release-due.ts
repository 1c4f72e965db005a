import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { clearDue, readDue, setDue } from '../../../../platform/due/plan-due.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { type DueRelease, releaseReservationsJob } from '../../../accounts/keys/jobs.ts';
import { releaseMatching } from './release.ts';

/**
 * So long after its end a key may still reserve: a process that has not heard of it yet, or a request that had been let in.
 * Then a second look releases that too. Milliseconds.
 */
const SECOND_LOOK_MS = 2_000;

/**
 * Releases the reservations of a key that has ended, or of a user who was removed: at once, and once more when nobody takes
 * the key any more. Then the audit log gets their number, if there were any. Repeating it releases nothing more.
 */
export async function releaseDue(ctx: Context, key: string): Promise<{ notBeforeMs: number } | undefined> {
  const due = await readDue<DueRelease>(ctx, releaseReservationsJob, key);
  if (!due) return undefined;
  const lookMs = ctx.clock.now();
  if (due.due_at.getTime() > lookMs) return { notBeforeMs: due.due_at.getTime() };
  const released = await releaseMatching(ctx, due.org_id, { keyId: due.key_id, userId: due.user_id });
  await commitPlan(ctx, async (transaction) => {
    const row = await readDue<DueRelease>(ctx, releaseReservationsJob, key, transaction);
    if (!row) return { result: undefined };
    const { key_id, user_id, ended_at } = row;
    const of = key_id === undefined ? { user_id } : { key_id };
    const total = row.released + released;
    const secondMs = ended_at.getTime() + SECOND_LOOK_MS;
    if (lookMs < secondMs) {
      const details = { ...of, ended_at, released: total };
      const again = setDue(releaseReservationsJob, { key, orgId: row.org_id, dueMs: secondMs, details });
      return { ...again, result: undefined };
    }
    const entry = { action: 'budget.release_reservations', org_id: row.org_id } as const;
    const audit = auditWrite(ctx, { ...entry, details: { ...of, reservations_released: total } });
    const writes = [clearDue(releaseReservationsJob, key), ...(total > 0 ? [audit] : [])];
    return { writes, result: undefined };
  });
  return undefined;
}
