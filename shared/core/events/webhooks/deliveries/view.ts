import { z } from 'zod';
import { isoTime } from '../../../../platform/basics/clock.ts';
import { EVENT_TYPES } from '../../../../platform/basics/contract.ts';
import { makerView } from '../../../accounts/keys/view.ts';
import { viewWithSettings, webhookWithSettingsView } from '../endpoints/view.ts';
import { shortened } from '../messages/text.ts';
import type { ListedWebhook } from './list-webhooks.ts';
import { ATTEMPT_ERRORS, DELIVERY_STATUSES, type Delivery } from './model.ts';

export const deliveryView = z.strictObject({
  id: z.string(),
  event_id: z.string(),
  type: z.enum(EVENT_TYPES),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.array(
    z.strictObject({
      number: z.int().describe('1..5; also sent as X-Service-Attempt'),
      at: z.string(),
      status: z
        .int()
        .nullable()
        .describe('HTTP status, or code of the mail server; null when there was no answer'),
      latency_ms: z.number(),
      error: z.enum(ATTEMPT_ERRORS).nullable(),
      answer: z
        .string()
        .nullable()
        .describe('At most 16 KiB of the answer, in a list 256 characters; kept of the last five attempts'),
    }),
  ),
  next_attempt_at: z.string().nullable(),
  test: z.literal(true).exactOptional().describe('It was sent as a test; absent of others'),
});

export const listedWebhookView = webhookWithSettingsView.extend({
  status: z.enum(['active', 'failing']).describe('Failing: delivery is paused until it is enabled again'),
  failing_since: z.string().nullable(),
  alerted_at: z.string().nullable().describe('When the admins were notified that it is failing'),
  held: z.int().describe('Deliveries that wait for that; mails also wait for room within the hour'),
  last_delivery: deliveryView.nullable(),
  made_by: makerView,
});

/** Shows a delivery. Times are ISO 8601. */
export function viewDelivery(delivery: Delivery): z.output<typeof deliveryView> {
  const { _id, event_id, type, status, attempts, next_attempt_at, test } = delivery;
  return {
    id: _id,
    event_id,
    type,
    status,
    attempts: attempts.map(({ at, number, status: httpStatus, latency_ms, error, answer }) => ({
      number,
      at: isoTime(at.getTime()),
      status: httpStatus,
      latency_ms,
      error,
      answer,
    })),
    next_attempt_at: timeOf(next_attempt_at),
    ...(test ? { test } : {}),
  };
}

/** Characters of an answer in a list, which may have a hundred deliveries. */
const LISTED_ANSWER = 256;

/** Shows a delivery in a list: of each answer only its beginning. */
export function viewListedDelivery(delivery: Delivery): z.output<typeof deliveryView> {
  const attempts = delivery.attempts.map((attempt) => {
    return { ...attempt, answer: attempt.answer && shortened(attempt.answer, LISTED_ANSWER) };
  });
  return viewDelivery({ ...delivery, attempts });
}

/** Shows a webhook with what became of its deliveries. */
export function viewListedWebhook({
  webhook,
  held,
  lastDelivery,
}: ListedWebhook): z.output<typeof listedWebhookView> {
  return {
    ...viewWithSettings(webhook),
    status: webhook.status,
    failing_since: timeOf(webhook.failing_since),
    alerted_at: timeOf(webhook.alerted_at),
    held,
    last_delivery: lastDelivery && viewListedDelivery(lastDelivery),
    made_by: webhook.made_by,
  };
}

export const webhookInFullView = listedWebhookView.extend({
  old_secret_until: z.string().nullable().describe('Until then the former secret signs too'),
});

/** Shows a webhook as it is read by itself at `nowMs` (epoch). A former secret that signs no longer is not shown. */
export function viewWebhookInFull(listed: ListedWebhook, nowMs: number): z.output<typeof webhookInFullView> {
  const until = listed.webhook.old_secret_until;
  const isOver = until !== null && until.getTime() <= nowMs;
  return { ...viewListedWebhook(listed), old_secret_until: isOver ? null : timeOf(until) };
}

function timeOf(at: Date | null): string | null {
  return at && isoTime(at.getTime());
}
