import { z } from 'zod';
import { sessionView } from '../../shared/core/calls/sessions/view.ts';
import {
  BUDGET_METRICS,
  BUDGET_SCOPES,
  BUDGET_WINDOWS,
} from '../../shared/core/limits/budgets/rules/model.ts';
import { EVENT_TYPES, NAMED_EVENT_TYPES } from '../../shared/platform/basics/contract.ts';
import type { EventDocuments } from '../hooks/wing.ts';
import { type Json, jsonSchema } from '../json-schema/schema.ts';
import { API_WINGS } from '../wings/index.ts';

const budget = {
  budget_id: z.string(),
  budget_name: z.string(),
  scope: z.enum(BUDGET_SCOPES),
  scope_id: z.string(),
  threshold: z.number(),
  current: z.number(),
};

const windowed = { ...budget, window: z.enum(BUDGET_WINDOWS), metric: z.enum(BUDGET_METRICS) };

const credits = z.strictObject({
  user_id: z.string(),
  total: z.int(),
  balances: z.strictObject({ window: z.int(), monthly: z.int(), paid: z.int(), granted: z.int() }),
});

/** An event in a digest: its envelope without the organization. */
const collected = z.strictObject({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  ts: z.string(),
  data: z
    .record(z.string(), z.unknown())
    .meta({ description: 'Data of the event', examples: [{ alert_at: 50 }] }),
});

const session = sessionView.extend({
  test: z.literal(true).optional().describe('Only in the event of `POST /api/v1/webhooks/test`'),
});

/** Every type of event that a feature raises, in the order of the document. */
const EVENTS: EventDocuments = {
  'session.started': { summary: 'A session began', data: session },
  'session.ended': { summary: 'A session ended, by timeout or because it was closed', data: sessionView },
  'budget.exceeded': {
    summary: 'A budget has reached its threshold',
    data: z.strictObject(windowed),
  },
  'budget.warning': {
    summary: 'A budget has reached 80 % of its threshold',
    data: z.strictObject({ ...budget, event_id: z.string() }),
  },
  ...eventsOfWings(),
  'budget.threshold': {
    summary: 'A budget has reached a percentage that the webhook asks for',
    data: z.strictObject({ ...windowed, alert_at: z.int() }),
  },
  'budget.forecast': {
    summary: 'A budget will be exceeded at the pace so far',
    data: z.strictObject({ ...windowed, forecast: z.number() }),
  },
  'credit.low': { summary: 'The credits of an account are low', data: credits },
  'credit.depleted': { summary: 'The credits of an account are used up', data: credits },
  digest: {
    summary: 'The events that were collected for a webhook with a digest',
    data: z.strictObject({
      from: z.string(),
      to: z.string(),
      events: z.array(collected).meta({ examples: [[]] }),
    }),
  },
};

function eventsOfWings(): EventDocuments {
  const documents = API_WINGS.flatMap(({ events = {} }) => Object.entries(events));
  const placeOf = ([type]: [string, unknown]) => (EVENT_TYPES as readonly string[]).indexOf(type);
  return Object.fromEntries(documents.toSorted((one, other) => placeOf(one) - placeOf(other)));
}

/** Not the tag of the operations on webhooks: a generator writes one file per tag, and the later one replaced the other. */
export const EVENTS_TAG = 'Events';

/** The requests that a webhook's endpoint receives, for `webhooks` of the document. */
export function webhookOperations(): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([type, { summary, data }]) => [
      type,
      { post: operation(type, summary, data) },
    ]),
  );
}

function operation(type: string, summary: string, data: z.ZodType): Json {
  const envelope = z.strictObject({
    id: z.string(),
    type: z.literal(type),
    org_id: z.string(),
    ts: z.string(),
    data: data.describe('Data of the event'),
  });
  const to = (NAMED_EVENT_TYPES as readonly string[]).includes(type)
    ? 'that names the event'
    : 'whose settings ask for it';
  return {
    operationId: type.replace('.', '_'),
    summary,
    description: `Sent to each webhook ${to}. Check \`X-Service-Signature\` against the raw body before anything else.`,
    tags: [EVENTS_TAG],
    security: [],
    parameters: SENT_HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchema(envelope, 'output') } },
    },
    responses: {
      '2XX': { description: 'Received. Anything else, and no answer within 10 s, is a failed attempt' },
    },
  };
}

const SENT_HEADERS: Json[] = [
  sent(
    'X-Service-Signature',
    'sha256= and the HMAC-SHA256 of the body with the secret, hex',
    `sha256=${'0'.repeat(64)}`,
  ),
  sent('X-Service-Attempt', 'The number of the attempt, 1 to 5', '1'),
  sent('webhook-id', 'The id of the event: the same for every attempt', 'evt_2Jx0…'),
  sent('webhook-timestamp', 'The time of the attempt, Unix seconds', '1767225600'),
  sent('webhook-signature', 'The signature as standardwebhooks.com has it', 'v1,K5oZ…'),
];

function sent(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string', examples: [example] } };
}
