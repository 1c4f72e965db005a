import { z } from 'zod';
import { isoTime } from '../clock.ts';
import { EVENT_TYPES, WEBHOOK_SECRET_LENGTH } from '../contract.ts';
import { exactText } from '../text.ts';
import { ATTEMPT_ERRORS, DELIVERY_STATUSES, type Delivery, type Webhook } from './model.ts';

/** A webhook with what became of its deliveries. */
export interface ListedWebhook {
  webhook: Webhook;
  held: number;
  lastDelivery: Delivery | null;
}

export const webhookInput = z.strictObject({
  url: exactText.describe('Delivery target: https, on port 443 or 8443, at a public address'),
  events: z
    .array(z.enum(EVENT_TYPES))
    .min(1, 'must name at least one event type')
    .refine((events) => new Set(events).size === events.length, 'must not repeat an event type'),
  secret: exactText
    .min(WEBHOOK_SECRET_LENGTH.min)
    .max(WEBHOOK_SECRET_LENGTH.max)
    .describe('Signs each delivery; never shown again'),
});
export type WebhookInput = z.output<typeof webhookInput>;

/** Interface 2.3. */
export const webhookView = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  enabled: z.boolean(),
  created_at: z.string(),
});

export const deliveryView = z.strictObject({
  id: z.string(),
  event_id: z.string(),
  type: z.enum(EVENT_TYPES),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.array(
    z.strictObject({
      number: z.int().describe('1..5; also sent as X-Service-Attempt'),
      at: z.string(),
      status: z.int().nullable().describe('HTTP status; null when there was no answer'),
      latency_ms: z.number(),
      error: z.enum(ATTEMPT_ERRORS).nullable(),
      answer: z.string().nullable().describe('At most 16 KiB of the answer'),
    }),
  ),
  next_attempt_at: z.string().nullable(),
});

export const listedWebhookView = webhookView.extend({
  status: z.enum(['active', 'failing']).describe('Failing: delivery is paused until it is enabled again'),
  held: z.int().describe('Deliveries that wait for that'),
  failing_since: z.string().nullable(),
  last_delivery: deliveryView.nullable(),
});

/** One webhook by itself. */
export const webhookDetailView = listedWebhookView.extend({
  old_secret_until: z
    .string()
    .nullable()
    .describe('Until then the secret before signs too; null when there is none'),
});

export const webhookChange = webhookInput
  .pick({ events: true, secret: true })
  .extend({ enabled: z.boolean().describe('False holds what comes until it is true again') })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something');

export function viewWebhook({
  _id,
  url,
  events,
  enabled,
  created_at,
}: Webhook): z.output<typeof webhookView> {
  return { id: _id, url, events, enabled, created_at: isoTime(created_at.getTime()) };
}

export function viewListedWebhook({
  webhook,
  held,
  lastDelivery,
}: ListedWebhook): z.output<typeof listedWebhookView> {
  const { status, failing_since } = webhook;
  return {
    ...viewWebhook(webhook),
    status,
    held,
    failing_since: failing_since && isoTime(failing_since.getTime()),
    last_delivery: lastDelivery && viewDelivery(lastDelivery),
  };
}

/** `nowMs`: an old secret that is over is none. */
export function viewWebhookDetail(listed: ListedWebhook, nowMs: number): z.output<typeof webhookDetailView> {
  const untilMs = listed.webhook.old_secret_until?.getTime() ?? 0;
  return { ...viewListedWebhook(listed), old_secret_until: untilMs > nowMs ? isoTime(untilMs) : null };
}

export function viewDelivery(delivery: Delivery): z.output<typeof deliveryView> {
  const { _id, event_id, type, status, attempts, next_attempt_at } = delivery;
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
    next_attempt_at: next_attempt_at && isoTime(next_attempt_at.getTime()),
  };
}
