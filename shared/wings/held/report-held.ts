import type { NewEvent } from '../../core/events/record/new-event.ts';
import { planEvents } from '../../core/events/webhooks/deliveries/plan-events.ts';
import { withWords } from '../../core/events/webhooks/deliveries/with-words.ts';
import { findSubscribers } from '../../core/events/webhooks/endpoints/find-subscribers.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { commitPlan, joinPlans } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { clearDue, readDue, setDue } from '../../platform/due/plan-due.ts';
import { type DueReport, reportHeldJob } from './jobs.ts';
import { type HeldSignal, heldRows } from './model.ts';

/** An organization has at most one report in this time. Milliseconds. */
const REPORT_EVERY_MS = 3_600_000;
/** Adapters and users that a report names. */
const MOST_NAMES = 20;

/**
 * Raises `signals.held` for an organization that is due for it. Its due row then stays for an hour, in which it collects what
 * is held meanwhile, and goes when nothing was. Repeating it changes nothing. Returns when to look again.
 */
export async function reportHeld(ctx: Context, orgId: string): Promise<{ notBeforeMs: number } | undefined> {
  return commitPlan(ctx, async (transaction) => {
    const due = await readDue<DueReport>(ctx, reportHeldJob, orgId, transaction);
    const nowMs = ctx.clock.now();
    if (!due) return { result: undefined };
    if (due.due_at.getTime() > nowMs) return { result: { notBeforeMs: due.due_at.getTime() } };
    const since = due.first_at;
    const undecided = { org_id: orgId, state: 'held' as const, held_at: { $gte: since ?? dateAt(nowMs) } };
    const held = since
      ? await heldRows(ctx)
          .find(undecided, { session: transaction, projection: { adapter: 1, user_id: 1, held_at: 1 } })
          .toArray()
      : [];
    if (held.length === 0) return { writes: [clearDue(reportHeldJob, orgId)], result: undefined };
    const subscribers = await findSubscribers(ctx, orgId, transaction);
    const raised = [eventOf(orgId, held, nowMs)];
    const spoken = await withWords(ctx, raised, subscribers.webhooks, transaction);
    const events = planEvents(spoken, subscribers, nowMs);
    const nextMs = nowMs + REPORT_EVERY_MS;
    const next = setDue(reportHeldJob, { key: orgId, orgId, dueMs: nextMs });
    return { ...joinPlans(events, next), result: undefined };
  });
}

function eventOf(
  orgId: string,
  held: readonly Pick<HeldSignal, 'adapter' | 'user_id' | 'held_at'>[],
  nowMs: number,
): NewEvent {
  const firstMs = Math.min(...held.map(({ held_at }) => held_at.getTime()));
  const some = (names: readonly string[]) => [...new Set(names)].sort().slice(0, MOST_NAMES);
  return {
    type: 'signals.held',
    cause: [orgId, firstMs],
    org_id: orgId,
    ts: dateAt(nowMs),
    concerns: {},
    data: {
      held: held.length,
      adapters: some(held.map(({ adapter }) => adapter)),
      users: some(held.map(({ user_id }) => user_id)),
      first_at: isoTime(firstMs),
    },
  };
}
