import { z } from 'zod';
import { senderOf } from '../../../shared/core/calls/signals/check-signal.ts';
import { CONTEXTS_PER_REQUEST } from '../../../shared/platform/basics/contract.ts';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { refuseNames } from '../../../shared/platform/basics/refuse-names.ts';
import { contextInput, contextResult } from '../../../shared/wings/work/attribution/context-input.ts';
import { recordContexts as record } from '../../../shared/wings/work/contexts/record-contexts.ts';
import { route } from '../../basics/route.ts';
import { jsonSchema } from '../../json-schema/schema.ts';

const documented = z.strictObject({
  contexts: z.array(contextInput).max(CONTEXTS_PER_REQUEST).describe('The contexts, judged one by one'),
});

/** Checks only the envelope; each context is judged by itself. */
const envelope = z
  .strictObject({ contexts: z.array(z.unknown()) })
  .meta({ documentedAs: jsonSchema(documented, 'input') });

export const recordContexts = route({
  method: 'post',
  path: '/api/v1/contexts',
  summary: 'Record what client sessions work on',
  description:
    'From a moment on, calls of a client session belong to a repository, a branch and a task. Answers one result per ' +
    'context, in order. Calls that were recorded before move: `moved` of them in this request, and more soon where ' +
    '`moving` is true. Sending a context again changes nothing.',
  tag: 'Signals',
  auth: { kind: 'api-key', scope: 'signals:write' },
  priority: 'ingest',
  body: refuseNames(['__proto__', 'constructor', 'prototype'], envelope),
  success: {
    status: 200,
    description: 'The result of each context',
    body: z.strictObject({
      results: z.array(contextResult),
      moved: z.int().describe('Calls that belong elsewhere since'),
      moving: z.boolean().describe('More calls move after this answer'),
    }),
  },
  handle: async ({ principal, body: { contexts } }, ctx) => {
    if (contexts.length > CONTEXTS_PER_REQUEST)
      throw new DomainError('payload_too_large', `contexts may hold ${CONTEXTS_PER_REQUEST} contexts.`);
    return record(ctx, senderOf(principal), contexts);
  },
});
