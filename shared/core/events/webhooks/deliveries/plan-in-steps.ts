import { commitPlan, joinPlans, NO_PLAN } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { boundedCache } from '../../../../platform/context/per-context.ts';
import { dueId, dueRows } from '../../../../platform/due/model.ts';
import { clearDue, readDue, setDue } from '../../../../platform/due/plan-due.ts';
import { thirdShard } from '../../../../platform/mongo/counter-shards.ts';
import { eventRows } from '../../record/model.ts';
import { findSubscribers } from '../endpoints/find-subscribers.ts';
import { planDeliveriesJob } from './jobs.ts';
import { pairsOf, planDeliveries, type UnplannedDetails } from './plan-events.ts';
import { WOKEN_TOGETHER } from './plan-progress.ts';

/** Deliveries of one transaction, which is then short enough for those that wait for it. */
const PLANNED_PER_STEP = 500;

/** How many times as long as its step a pause is: the planned attempts need the store as well. */
const PAUSE_FACTOR = 3;

/** When the pause of an organization ends in this process, by `elapsed`. */
const pauseEnds = boundedCache<string, number>({ max: 1_000 });

/**
 * Plans the next deliveries of events that had too many for the transaction of their change. After a crash another worker
 * goes on at the same place. `key` is that of the due row. Returns when the next step may follow (epoch ms), because after
 * each step the organization pauses in this process; undefined when all are planned.
 */
export async function planStep(ctx: Context, key: string): Promise<{ notBeforeMs: number } | undefined> {
  const _id = dueId(planDeliveriesJob, key);
  const due = await dueRows(ctx).findOne({ _id }, { projection: { org_id: 1 } });
  if (!due) return undefined;
  const leftMs = (pauseEnds(ctx).get(due.org_id) ?? 0) - ctx.clock.elapsed();
  if (leftMs > 0) return { notBeforeMs: ctx.clock.now() + leftMs };
  const startedMs = performance.now();
  const isMore = await planSome(ctx, key);
  const pauseMs = Math.ceil(PAUSE_FACTOR * (performance.now() - startedMs));
  pauseEnds(ctx).set(due.org_id, ctx.clock.elapsed() + pauseMs);
  return isMore ? { notBeforeMs: ctx.clock.now() + pauseMs } : undefined;
}

/** Returns true while deliveries of an event are still to be planned. It asks all shards, so ask it of rare events alone. */
export async function isToBePlanned(ctx: Context, orgId: string, eventId: string): Promise<boolean> {
  const named = { kind: planDeliveriesJob.kind, org_id: orgId, 'events._id': eventId };
  return (await dueRows(ctx).findOne(named, { projection: { _id: 1 } })) !== null;
}

/** Returns true when there is more. */
async function planSome(ctx: Context, key: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const due = await readDue<UnplannedDetails>(ctx, planDeliveriesJob, key, transaction);
    if (!due) return { result: false };
    const { step, rest } = takeStep(due);
    const ids = [...new Set(step.map(({ event }) => event._id))];
    const found = await eventRows(ctx)
      .find({ _id: { $in: ids }, org_id: due.org_id }, { session: transaction })
      .toArray();
    const events = new Map(found.map((event) => [event._id, event]));
    const subscribers = await findSubscribers(ctx, due.org_id, transaction, thirdShard());
    const webhooks = new Map(subscribers.webhooks.map((webhook) => [webhook._id, webhook]));
    const pairs = step.flatMap((pair) => {
      const [event, webhook] = [events.get(pair.event._id), webhooks.get(pair.webhook._id)];
      return event && webhook ? [{ event: { ...pair.event, ...event }, webhook }] : [];
    });
    const again = { key, orgId: due.org_id, dueMs: due.due_at.getTime(), details: rest };
    const isMore = rest.events.length > 0;
    const moved = isMore ? setDue(planDeliveriesJob, again) : NO_PLAN;
    const ended = isMore ? [] : [clearDue(planDeliveriesJob, key)];
    const guarded = { writes: [...subscribers.guard, ...ended] };
    return { ...joinPlans(guarded, moved, planDeliveries(pairs)), result: isMore };
  });
}

/**
 * Splits off the deliveries of one step. Some events go to all their webhooks before the next ones do, as many as share a
 * wake-up, or more where webhooks are few. So a step reads few events.
 */
function takeStep({ events, subscribers, planned }: UnplannedDetails) {
  const together = Math.max(WOKEN_TOGETHER, Math.ceil(PLANNED_PER_STEP / subscribers.length));
  const pairs = pairsOf(events.slice(0, together), subscribers);
  const step = pairs.slice(planned, planned + PLANNED_PER_STEP);
  const next = planned + PLANNED_PER_STEP;
  const rest: UnplannedDetails =
    next < pairs.length
      ? { events, subscribers, planned: next }
      : { events: events.slice(together), subscribers, planned: 0 };
  return { step, rest };
}
