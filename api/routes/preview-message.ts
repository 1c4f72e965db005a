import { z } from 'zod';
import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { URGENCIES } from '../../shared/core/events/webhooks/messages/message.ts';
import { previewMessage as preview } from '../../shared/core/events/webhooks/messages/preview.ts';
import { EVENT_TYPES, WEBHOOK_FORMATS } from '../../shared/platform/basics/contract.ts';
import { route } from '../basics/route.ts';

export const previewMessage = route({
  method: 'post',
  changesNothing: true,
  path: '/api/v1/webhooks/preview',
  summary: 'Preview a message',
  description: 'Shows the message of a format for an event of a type, with made-up data. Nothing is sent.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  body: z.strictObject({ format: z.enum(WEBHOOK_FORMATS), type: z.enum(EVENT_TYPES) }),
  success: {
    status: 200,
    description: 'The message',
    body: z.strictObject({
      headers: z.record(z.string(), z.string()).describe('Those that belong to the format'),
      body: z.string().describe('Body of the message'),
      message: z
        .strictObject({
          title: z
            .string()
            .describe('Title of the message')
            .meta({ examples: ['Budget “Research” is exceeded'] }),
          urgency: z.enum(URGENCIES).describe('How soon somebody should look'),
          facts: z
            .array(
              z.strictObject({
                label: z
                  .string()
                  .describe('Its name')
                  .meta({ examples: ['Used'] }),
                value: z
                  .string()
                  .describe('Its state')
                  .meta({ examples: ['512.5 of 500 USD'] }),
              }),
            )
            .describe('Facts, in order'),
        })
        .describe('The event in words, as every format but `json` has it'),
    }),
  },
  handle: async ({ principal, body: { format, type } }, ctx) =>
    preview({ format, type, orgId: wholeOrganization(principal), nowMs: ctx.clock.now() }),
});
