import { dateAt, isoTime } from '../../../../platform/basics/clock.ts';
import { commitPlan, joinPlans, NO_PLAN } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { NewEvent } from '../../record/new-event.ts';
import { guardWebhooks } from '../endpoints/find-subscribers.ts';
import { webhookRows } from '../endpoints/model.ts';
import type { Collected } from '../messages/describe-event.ts';
import type { Envelope } from '../messages/message.ts';
import { finished, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { planEvents } from './plan-events.ts';
import { planProgress } from './plan-progress.ts';

/** Events of one digest, and characters of their envelopes; more of them make several. */
const PER_DIGEST = { events: 200, characters: 1_048_576 };

/**
 * Sends every digest that is due: its events become one event `digest`, for its webhook alone. Webhooks take turns, so that
 * none waits for the many digests of another. Returns how many digests. Throws when that of a webhook could not be sent,
 * after all others.
 */
export async function sendDigests(ctx: Context): Promise<number> {
  const due = { state: 'collected' as const, at: { $lte: ctx.clock.now() } };
  const waiting = await queuedDeliveryRows(ctx).distinct('webhook_id', due);
  const errors: unknown[] = [];
  let sent = 0;
  for (const webhookId of waiting) {
    try {
      if (!(await sendDigest(ctx, webhookId))) continue;
      sent += 1;
      waiting.push(webhookId);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `Webhooks whose digest was not sent: ${errors.length}`);
  return sent;
}

/**
 * Returns false when there was nothing to send. One transaction takes the collected deliveries out and raises the digest's
 * event. If two workers send the same digest, one conflicts where it deletes, and reads again.
 */
async function sendDigest(ctx: Context, webhookId: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const nowMs = ctx.clock.now();
    const options = { session: transaction };
    const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, options);
    const due = await queuedDeliveryRows(ctx)
      .find({ webhook_id: webhookId, state: 'collected', at: { $lte: nowMs } }, options)
      .sort({ at: 1 })
      .limit(PER_DIGEST.events)
      .toArray();
    const rows = takeFirst(due);
    const [first] = rows;
    if (!first) return { ...NO_PLAN, result: false };
    const status = webhook ? 'digested' : 'cancelled';
    const done = planProgress(rows.map((row) => finished(row, status, nowMs)));
    const subscribers = { webhooks: webhook ? [webhook] : [], guard: [guardWebhooks(first.org_id)] };
    const digest = planEvents([digestOf(first, rows, nowMs)], subscribers, nowMs);
    return { ...joinPlans(done, digest), result: true };
  });
}

/** Returns the first ones, as many as one row and one request can carry; at least one. */
function takeFirst(due: readonly QueuedDelivery[]): QueuedDelivery[] {
  let characters = 0;
  return due.filter(({ body }, index) => {
    characters += body.length;
    return index === 0 || characters <= PER_DIGEST.characters;
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
    concerns: {},
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
