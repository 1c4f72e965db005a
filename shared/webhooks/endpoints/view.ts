import { z } from 'zod';
import { isoTime } from '../../platform/basics/clock.ts';
import { EVENT_TYPES, WEBHOOK_SECRET_LENGTH } from '../../platform/basics/contract.ts';
import { exactText } from '../../platform/basics/text.ts';
import type { Webhook } from './model.ts';

const events = z
  .array(z.enum(EVENT_TYPES))
  .min(1, 'must name at least one event type')
  .refine((types) => new Set(types).size === types.length, 'must not repeat an event type');

const secret = exactText
  .min(WEBHOOK_SECRET_LENGTH.min)
  .max(WEBHOOK_SECRET_LENGTH.max)
  .describe('Signs each delivery; never shown again');

/** The body that registers a webhook. */
export const webhookInput = z.strictObject({
  url: exactText.describe('Delivery target: https, on port 443 or 8443, at a public address'),
  events,
  secret,
});
export type WebhookInput = z.output<typeof webhookInput>;

/** The body that changes a webhook. */
export const webhookChange = z
  .strictObject({
    events: events.optional(),
    secret: secret.optional(),
    enabled: z.boolean().optional().describe('False holds its deliveries; true sends what was held'),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something');
export type WebhookChange = z.output<typeof webhookChange>;

/** A webhook as every answer shows it. */
export const webhookView = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  enabled: z.boolean(),
  created_at: z.string(),
});

/** Shows a webhook; its secret never. */
export function viewWebhook({
  _id,
  url,
  events: types,
  enabled,
  created_at,
}: Webhook): z.output<typeof webhookView> {
  return { id: _id, url, events: types, enabled, created_at: isoTime(created_at.getTime()) };
}
