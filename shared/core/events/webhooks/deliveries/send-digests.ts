import type { ClientSession } from 'mongoose';
import { dateAt, isoTime } from '../../../../platform/basics/clock.ts';
import {
  commitPlan,
  type Decision,
  joinPlans,
  NO_PLAN,
  type Plan,
} from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { NewEvent, Words } from '../../record/new-event.ts';
import { guardWebhooks } from '../endpoints/find-subscribers.ts';
import { type Webhook, webhookRows } from '../endpoints/model.ts';
import type { Collected } from '../messages/describe-event.ts';
import type { Envelope } from '../messages/message.ts';
import { areAnomalies, decideAnomalies, readTold } from './collect-anomalies.ts';
import { finished, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { planEvents } from './plan-events.ts';
import { planProgress, wakeDigest } from './plan-progress.ts';
import { withWords } from './with-words.ts';

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
    const webhook = await webhookRows(ctx).findOne({ _id: webhookId }, { session: transaction });
    const collected = await readCollected(ctx, webhookId, transaction);
    const due = collected.filter(({ at }) => at <= nowMs);
    if (due.length === 0) return { result: false };
    if (webhook && areAnomalies(due, webhook)) return sendAnomalies(ctx, webhook, collected, transaction);
    return { ...(await planDigest(ctx, webhook, takeFirst(due), transaction)), result: true };
  });
}

/** Sends the anomalies that a channel waits for in one message, or puts off those that wait longer. */
async function sendAnomalies(
  ctx: Context,
  webhook: Webhook,
  collected: readonly QueuedDelivery[],
  transaction: ClientSession,
): Promise<Decision<boolean>> {
  const waiting = takeFirst(collected.filter((row) => areAnomalies([row], webhook)));
  const told = await readTold(ctx, webhook._id, transaction);
  const { timeScale } = ctx.config;
  const { quiet_hours } = webhook;
  const { taken, later } = decideAnomalies(waiting, told, { nowMs: ctx.clock.now(), timeScale, quiet_hours });
  const moved = [...later].flatMap(([row, at]) => (row.at === at ? [] : [{ ...row, at }]));
  const wakeUps = [...new Map(moved.map((row) => [row.at, wakeDigest(row)])).values()];
  const putOff = { writes: planProgress(moved).writes, wakeUps };
  if (taken.length === 0) return { ...putOff, result: false };
  const digest = await planDigest(ctx, webhook, taken, transaction, 'anomalies');
  return { ...joinPlans(putOff, digest), result: true };
}

/** Reads collected deliveries, those that are due first: at most as many as a digest holds. */
async function readCollected(ctx: Context, webhookId: string, transaction: ClientSession) {
  return queuedDeliveryRows(ctx)
    .find({ webhook_id: webhookId, state: 'collected' }, { session: transaction })
    .sort({ at: 1 })
    .limit(PER_DIGEST.events)
    .toArray();
}

/** The plan that takes collected deliveries out and raises their digest, unless their webhook is gone. */
async function planDigest(
  ctx: Context,
  webhook: Webhook | null,
  rows: readonly QueuedDelivery[],
  transaction: ClientSession,
  about?: 'anomalies',
): Promise<Plan> {
  const nowMs = ctx.clock.now();
  const [first] = rows;
  if (!first) return NO_PLAN;
  const status = webhook ? 'digested' : 'cancelled';
  const done = planProgress(rows.map((row) => finished(row, status, nowMs)));
  const webhooks = webhook ? [webhook] : [];
  const raised = [digestOf(first, rows, nowMs, about)];
  const spoken = await withWords(ctx, raised, webhooks, transaction);
  const guard = [guardWebhooks(first.org_id)];
  return joinPlans(done, planEvents(spoken, { webhooks, guard }, nowMs));
}

/** Returns the first ones, as many as one row and one request can carry; at least one. */
function takeFirst(due: readonly QueuedDelivery[]): QueuedDelivery[] {
  let characters = 0;
  return due.filter(({ body }, index) => {
    characters += body.length;
    return index === 0 || characters <= PER_DIGEST.characters;
  });
}

function digestOf(
  first: QueuedDelivery,
  rows: readonly QueuedDelivery[],
  nowMs: number,
  about?: 'anomalies',
): NewEvent {
  const ordered = rows.toSorted((a, b) => a.position - b.position);
  const { webhook_id, org_id } = first;
  const words = ordered.map((row): Words => (row.words === undefined ? {} : JSON.parse(row.words)));
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
      ...(about ? { about } : {}),
      events: ordered.map(({ body }) => collectedOf(body)),
    },
    ...(ordered.some((row) => row.words !== undefined) ? { words: { events: words } } : {}),
  };
}

function collectedOf(body: string): Collected {
  const { id, type, ts, data } = JSON.parse(body) as Envelope;
  return { id, type, ts, data };
}
