import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isoTime } from '../../../../platform/basics/clock.ts';
import {
  NAMED_EVENT_TYPES,
  WEBHOOK_FORMATS,
  WEBHOOK_NAME_LENGTH,
  WEBHOOK_SECRET_LENGTH,
} from '../../../../platform/basics/contract.ts';
import { exactText, SOME_CHANGE, text } from '../../../../platform/basics/text.ts';
import { filterInput } from './filter.ts';
import type { Webhook } from './model.ts';
import { alertSettings, NO_ALERTS } from './settings.ts';

const events = z
  .array(z.enum(NAMED_EVENT_TYPES))
  .refine((types) => new Set(types).size === types.length, 'must not repeat an event type');

const secret = exactText
  .refine((text) => text.trim() !== '', 'must not be white space alone')
  .min(WEBHOOK_SECRET_LENGTH.min)
  .max(WEBHOOK_SECRET_LENGTH.max)
  .describe('Signs each delivery; never shown again');

const name = text(WEBHOOK_NAME_LENGTH).describe('Shown to people instead of the URL');

const filter = filterInput
  .nullable()
  .describe(
    'The only things that it gets events about: one of any list is enough, and it gets nothing that is about none. Null: all ' +
      'events. Not of the format `json`',
  );

export const NO_JSON_FILTER =
  'does not go with the format json: a program that reads events filters them itself';

/** The body that registers a webhook. */
export const webhookInput = z
  .strictObject({
    url: exactText.describe(
      'Delivery target: https, on port 443 or 8443, at a public address, at most 2,000 characters; for `email` `mailto:` and the address of a member',
    ),
    events,
    secret: secret.optional().describe('Signs each delivery; never shown again. Needed for `json`'),
    name: name.optional(),
    format: z
      .enum(WEBHOOK_FORMATS)
      .default('json')
      .describe('How events are written. The URL of any but `json` is a secret'),
    alert_at: alertSettings.alert_at.default([]),
    forecast: alertSettings.forecast.default(false),
    quiet_hours: alertSettings.quiet_hours.default(null),
    digest: alertSettings.digest.default('none'),
    filter: filter.default(null),
  })
  .refine(({ format, filter: given }) => format !== 'json' || given === null, {
    path: ['filter'],
    message: NO_JSON_FILTER,
  })
  .refine(({ format, secret: given }) => format !== 'json' || given !== undefined, {
    path: ['secret'],
    message: 'is needed',
  })
  .refine(asksForSomething, { path: ['events'], message: 'must name at least one event type' });
/** As it is posted: what is left out has its default. */
export type WebhookInput = z.input<typeof webhookInput>;

export const webhookChange = z
  .strictObject({
    events: events.exactOptional(),
    secret: secret.exactOptional(),
    name: name.nullable().exactOptional().describe('Null takes the name away'),
    enabled: z.boolean().exactOptional().describe('False holds its deliveries; true sends what was held'),
    alert_at: alertSettings.alert_at.exactOptional(),
    forecast: alertSettings.forecast.exactOptional(),
    quiet_hours: alertSettings.quiet_hours.exactOptional(),
    digest: alertSettings.digest.exactOptional(),
    filter: filter.exactOptional(),
  })
  .refine(...SOME_CHANGE);
export type WebhookChange = z.output<typeof webhookChange>;

const shownAlways = {
  id: z.string(),
  name: z.string().exactOptional().describe('Where it has one'),
  url: z
    .string()
    .regex(/^[A-Za-z]+:/)
    .describe('Delivery target; of any format but `json` only `https://HOST/…` or `mailto:…@HOST`'),
  events: z.array(z.enum(NAMED_EVENT_TYPES)),
  enabled: z.boolean(),
  created_at: z.string(),
};

const settings = { format: z.enum(WEBHOOK_FORMATS), ...alertSettings, filter: filter.exactOptional() };

/** False when a webhook with these settings would never get an event. */
export function asksForSomething({
  events: types,
  alert_at,
  forecast,
}: Pick<Webhook, 'events' | 'alert_at' | 'forecast'>): boolean {
  return types.length > 0 || alert_at.length > 0 || forecast;
}

/** A webhook as it is answered when it is made or enabled; its settings only where one of them is not the default. */
export const webhookView = z.strictObject({ ...shownAlways, ...z.object(settings).partial().shape });

export const webhookWithSettingsView = z.strictObject({ ...shownAlways, ...settings });

const PLAIN = { format: 'json', ...NO_ALERTS };

/** Shows a webhook; its secret never. */
export function viewWebhook(webhook: Webhook): z.output<typeof webhookView> {
  const { format, alert_at, forecast, quiet_hours, digest } = webhook;
  const isPlain = isDeepStrictEqual({ format, alert_at, forecast, quiet_hours, digest }, PLAIN);
  return isPlain ? viewPlain(webhook) : viewWithSettings(webhook);
}

/** Shows a webhook with its settings; its secret never. */
export function viewWithSettings(webhook: Webhook): z.output<typeof webhookWithSettingsView> {
  const { format, alert_at, forecast, quiet_hours, digest, filter: given = null } = webhook;
  const alerts = { alert_at: [...alert_at], forecast, quiet_hours, digest };
  const filtered = format === 'json' ? {} : { filter: given };
  return { ...viewPlain(webhook), format, ...alerts, ...filtered };
}

function viewPlain({ _id, name: given, url, events: types, enabled, created_at }: Webhook) {
  const named = given ? { name: given } : {};
  return { id: _id, ...named, url, events: types, enabled, created_at: isoTime(created_at.getTime()) };
}
