import type { ClientSession } from 'mongoose';
import type { NewEvent } from '../../events/new-event.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { setDue } from '../../platform/due/plan-due.ts';
import { planEvents } from '../../webhooks/deliveries/plan-events.ts';
import { findSubscribers } from '../../webhooks/endpoints/find-subscribers.ts';
import { waitsForSomebody } from '../failures.ts';
import { alertDestinationJob } from '../jobs.ts';
import type { Destination } from '../model.ts';

/** The failed run at which somebody is told of a failure that may go away by itself. */
const TOLD_AT_FAILURE = 3;

/**
 * The plan that tells of a destination that fails, by `export.failed` and by mail: once until a run succeeds, at once where somebody
 * has to change something, else at the third failure. `nextMs` is when the next run begins (epoch); null: it is paused.
 */
export async function planTold(
  ctx: Context,
  destination: Destination,
  nextMs: number | null,
  transaction: ClientSession,
): Promise<{ plan: Plan; changes: Partial<Destination> }> {
  const { _id, org_id: orgId, code, failures, failing_since, told_at } = destination;
  const isDue = code !== null && (waitsForSomebody(code) || failures >= TOLD_AT_FAILURE);
  if (!isDue || failing_since === null || told_at !== null) return { plan: NO_PLAN, changes: {} };
  const nowMs = ctx.clock.now();
  const event: NewEvent = {
    type: 'export.failed',
    cause: [_id, failing_since.getTime()],
    org_id: orgId,
    ts: dateAt(nowMs),
    data: {
      destination_id: _id,
      name: destination.name,
      code,
      since: isoTime(failing_since.getTime()),
      last_success_at: destination.last_success_at && isoTime(destination.last_success_at.getTime()),
      next_attempt_at: nextMs === null ? null : isoTime(nextMs),
    },
  };
  const plan = joinPlans(
    planEvents([event], await findSubscribers(ctx, orgId, transaction), nowMs),
    setDue(alertDestinationJob, { key: _id, orgId, dueMs: nowMs }),
  );
  return { plan, changes: { told_at: dateAt(nowMs) } };
}
