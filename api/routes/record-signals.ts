import { z } from 'zod';
import { recordSignals as record } from '../../shared/core/calls/ingest/record-signals.ts';
import { senderOf } from '../../shared/core/calls/signals/check-signal.ts';
import { signalResult } from '../../shared/core/calls/signals/input.ts';
import { SIGNALS_PER_REQUEST } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { refuseNames } from '../../shared/platform/basics/refuse-names.ts';
import { route } from '../basics/route.ts';
import { jsonSchema } from '../json-schema/schema.ts';

/** A signal in the document, under a name of its own, so that clients have one type for both forms of the body. */
const signal = z.unknown().meta({ documentedAs: { $ref: '#/components/schemas/SignalInput' } });

/** The documented form of a batch. */
const batch = z.strictObject({
  signals: z.array(signal).max(SIGNALS_PER_REQUEST).describe('The signals, judged one by one'),
  historical: z
    .boolean()
    .optional()
    .meta({
      description:
        'Signals that are older than the session timeout and an hour raise no session, anomaly or budget events.',
      examples: [true],
    }),
});

/** Checks only the envelope; each signal is judged by itself. */
const envelope = z
  .looseObject({
    signals: z.array(z.unknown()).meta({ maxItems: SIGNALS_PER_REQUEST }).optional(),
    historical: z.boolean('must be true or false').optional(),
  })
  .refine(
    ({ signals, historical: _, ...others }) => signals === undefined || Object.keys(others).length === 0,
    'takes nothing beside `signals` and `historical`',
  )
  .refine(({ signals, historical }) => signals !== undefined || historical === undefined, {
    path: ['historical'],
    error: 'belongs beside `signals`',
  })
  .meta({ documentedAs: { anyOf: [jsonSchema(batch, 'input'), jsonSchema(signal, 'input')] } });

export const recordSignals = route({
  method: 'post',
  path: '/api/v1/signals',
  summary: 'Record signals',
  description:
    'One signal, or `{ "signals": [...] }` with at most 1,000. Answers one result per signal, in order: a bad one is ' +
    '`rejected` with its reason and never loses the others. Sending a signal again changes nothing.',
  tag: 'Signals',
  auth: { kind: 'api-key', scope: 'signals:write', isConfirmedLater: true },
  priority: 'ingest',
  body: refuseNames(['__proto__', 'constructor', 'prototype'], envelope),
  success: {
    status: 200,
    description: 'The result of each signal',
    body: z.strictObject({ results: z.array(signalResult) }),
  },
  handle: async ({ principal, body }, ctx) => {
    const posted = body.signals ?? [body];
    if (posted.length > SIGNALS_PER_REQUEST)
      throw new DomainError('payload_too_large', `signals may hold ${SIGNALS_PER_REQUEST} signals.`);
    const { confirmed } = principal;
    const results = await record(ctx, senderOf(principal), posted, {
      historical: body.historical === true,
      confirmed,
    });
    // Also where no signal was one to record.
    await confirmed;
    return { results };
  },
});
