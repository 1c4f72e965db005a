import type { NewEvent } from '../../events/new-event.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { commitPlan, joinPlans, NO_PLAN } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { webhookRows } from '../endpoints/model.ts';
import type { Collected } from '../messages/describe-digest.ts';
import type { Envelope } from '../messages/message.ts';
import { finished, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { planEvents } from './plan-events.ts';
import { replaceQueued } from './replace-queued.ts';

/** Events of one digest; more of them make several. */
const EVENTS_PER_DIGEST = 200;

/** Sends every digest that is due: its events become one event `digest`, for its webhook alone. Returns how many digests. */
export async function sendDigests(ctx: Context): Promise<number> {
  const due = { state: 'collected' as const, at: { $lte: ctx.clock.now() } };
  const webhookIds = await queuedDeliveryRows(ctx).distinct('webhook_id', due);
  let sent = 0;
  for (const webhookId of webhookIds) while (await sendDigest(ctx, webhookId)) sent += 1;
  return sent;
}

/**
 * Whether there was something to send. What was collected leaves with the digest's event, in one transaction. Of two
 * workers that send the same digest one meets a conflict where it deletes, and looks again.
 */
async function sendDigest(ctx: Context, webhookId: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const nowMs = ctx.clock.now();
    const options = { session: transaction };
    const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, options);
    const rows = await queuedDeliveryRows(ctx)
      .find({ webhook_id: webhookId, state: 'collected', at: { $lte: nowMs } }, options)
      .sort({ at: 1 })
      .limit(EVENTS_PER_DIGEST)
      .toArray();
    const [first] = rows;
    if (!first) return { ...NO_PLAN, result: false };
    const status = webhook ? 'digested' : 'cancelled';
    const done = replaceQueued(rows.map((row) => finished(row, status, nowMs)));
    const digest = webhook ? await planEvents([digestOf(first, rows, nowMs)], [webhook], nowMs) : NO_PLAN;
    return { ...joinPlans(done, digest), result: true };
  });
}

function digestOf(first: QueuedDelivery, rows: readonly QueuedDelivery[], nowMs: number): NewEvent {
  const ordered = rows.toSorted((a, b) => a.position - b.position);
  const { webhook_id, org_id } = first;
  return {
    cause: [webhook_id, ...ordered.map(({ _id }) => _id)],
    type: 'digest',
    org_id,
    webhook_id,
    ts: dateAt(nowMs),
    data: {
      from: isoTime(ordered[0]?.created_at.getTime() ?? nowMs),
      to: isoTime(nowMs),
      events: ordered.map(({ body }) => collectedOf(body)),
    },
  };
}

function collectedOf(body: string): Collected {
  const { id, type, ts, data } = JSON.parse(body) as Envelope;
  return { id, type, ts, data };
}
