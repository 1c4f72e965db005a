import { dateAt } from '../../../../platform/basics/clock.ts';
import { commitPlan, joinPlans, NO_PLAN } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { clearDue, readDue, setDue } from '../../../../platform/due/plan-due.ts';
import { daysBefore } from '../../../../platform/mongo/retention.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { type Event, eventRows } from '../../record/model.ts';
import { guardWebhooks } from '../endpoints/find-subscribers.ts';
import { getWebhook } from '../endpoints/get-webhook.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';
import { planDrain } from '../endpoints/plan-change.ts';
import { recoverDeliveriesJob } from './jobs.ts';
import { type Delivery, deliveryRows, type QueuedDelivery } from './model.ts';
import { nextRoundOf, planReturn } from './plan-progress.ts';
import { requeued } from './redeliver.ts';

const RECOVERED_AT_ONCE = 200;

interface RecoverDetails {
  /** Deliveries of events from then on. */
  since: Date;
}

/**
 * Sends the exhausted deliveries of a webhook again whose events were raised since a time (epoch ms). They arrive in order
 * and paced, as held ones do, and only once the webhook is enabled. Returns how many there are. Throws `not_found`.
 */
export async function recoverDeliveries(
  ctx: Context,
  orgId: string,
  webhookId: string,
  sinceMs: number,
): Promise<number> {
  return commitPlan(ctx, async (transaction) => {
    await getWebhook(ctx, orgId, webhookId, transaction);
    const before = await readDue<RecoverDetails>(ctx, recoverDeliveriesJob, webhookId, transaction);
    const since = dateAt(Math.min(sinceMs, before?.since.getTime() ?? sinceMs));
    const count = await deliveryRows(ctx).countDocuments(exhaustedSince(webhookId, since), {
      session: transaction,
    });
    const details = { webhook_id: webhookId, since, queued: count };
    const audit = auditWrite(ctx, { action: 'webhook.recover', org_id: orgId, details });
    const due = { key: webhookId, orgId, dueMs: ctx.clock.now(), details: { since } };
    const { writes, wakeUps } = setDue<RecoverDetails>(recoverDeliveriesJob, due);
    return { writes: [...writes, audit], wakeUps, result: count };
  });
}

/**
 * Holds the exhausted deliveries of a webhook, some per transaction. The last transaction begins their drain, which then
 * finds all of them in their order. `key` is that of the due row.
 */
export async function holdExhausted(ctx: Context, key: string): Promise<void> {
  while (await holdSome(ctx, key));
}

/** Returns false when none is left. Deliveries whose event is gone are skipped. */
async function holdSome(ctx: Context, key: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const options = { session: transaction };
    const due = await readDue<RecoverDetails>(ctx, recoverDeliveriesJob, key, transaction);
    if (!due) return { result: false };
    const webhook = await webhookRows(ctx).findOne({ _id: key }, options);
    const rows = webhook
      ? await deliveryRows(ctx)
          .find(exhaustedSince(key, due.since), options)
          .sort({ created_at: 1 })
          .limit(RECOVERED_AT_ONCE)
          .toArray()
      : [];
    const last = rows.at(-1);
    if (!last) {
      const ended = { writes: [clearDue(recoverDeliveriesJob, key)] };
      return { ...joinPlans(ended, webhook ? planDrain(webhook, ctx.clock.now()) : NO_PLAN), result: false };
    }
    const eventIds = rows.map(({ event_id }) => event_id);
    const events = await eventRows(ctx)
      .find({ _id: { $in: eventIds }, org_id: due.org_id }, options)
      .toArray();
    const known = new Map(events.map((event) => [event._id, event]));
    const held = rows.flatMap((row) => heldAgain(row, known.get(row.event_id)));
    const since = held.length > 0 ? due.since : dateAt(last.created_at.getTime() + 1);
    const rest = setDue<RecoverDetails>(recoverDeliveriesJob, {
      key,
      orgId: due.org_id,
      dueMs: due.due_at.getTime(),
      details: { since },
    });
    const guard = { writes: [guardWebhooks(due.org_id)] };
    return { ...joinPlans(guard, rest, planReturn(held)), result: true };
  });
}

function heldAgain(delivery: Delivery, event: Event | undefined): QueuedDelivery[] {
  if (!event) return [];
  const queued = requeued(delivery, event);
  return [{ ...queued, ...nextRoundOf(delivery), state: 'held', at: queued.position }];
}

/**
 * Counts the deliveries that have been exhausted since a webhook began to fail and were not sent again, and returns the time
 * of the oldest event among them: `recoverDeliveries` since then sends as many again. Null when there are none.
 */
export async function countNotSent(
  ctx: Context,
  { _id, failing_since }: Webhook,
): Promise<{ count: number; since: Date | null }> {
  const oldest = daysBefore(ctx.clock.now(), ctx.config.eventRetentionDays);
  const first =
    failing_since &&
    (await deliveryRows(ctx).findOne(
      { ...exhaustedSince(_id, oldest), finished_at: { $gte: failing_since } },
      { sort: { created_at: 1 } },
    ));
  if (!first) return { count: 0, since: null };
  const since = first.created_at;
  return { count: await deliveryRows(ctx).countDocuments(exhaustedSince(_id, since)), since };
}

function exhaustedSince(webhookId: string, since: Date) {
  return {
    webhook_id: webhookId,
    status: 'exhausted' as const,
    created_at: { $gte: since },
    test: { $ne: true as const },
  };
}
