import { z } from 'zod';
import { readOrganization, timezoneAt } from '../../shared/core/accounts/organizations/read-organization.ts';
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
                  .meta({ examples: ['$512.50 of $500.00 this month (102.5 %)'] }),
              }),
            )
            .describe('Facts, in order'),
          link: z
            .strictObject({
              label: z
                .string()
                .describe('Its words')
                .meta({ examples: ['Open the budget'] }),
              url: z
                .string()
                .describe('Its address')
                .meta({
                  examples: ['https://governor.example.com/dashboard/budgets/bud_3Kf9XqLm2TzVb7Rw8YcN1p'],
                }),
            })
            .nullable()
            .describe('The link to the page that shows it; null where there is none'),
        })
        .describe('The event in words, as every format but `json` has it'),
    }),
  },
  handle: async ({ principal, body: { format, type } }, ctx) => {
    const orgId = wholeOrganization(principal);
    const nowMs = ctx.clock.now();
    const timezone = timezoneAt(await readOrganization(ctx, orgId), nowMs);
    return preview({ format, type, orgId, timezone, nowMs });
  },
});
