import { z } from 'zod';
import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { recoverDeliveries as recover } from '../../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { DAY_MS } from '../../shared/platform/basics/interval.ts';
import { instant } from '../../shared/platform/basics/text.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { route } from '../basics/route.ts';
import { webhookParams } from '../schemas/params.ts';

export const recoverDeliveries = route({
  method: 'post',
  path: '/api/v1/webhooks/{id}/recover',
  summary: 'Send exhausted deliveries again',
  description:
    'Sends again, in order, what has failed its fifth attempt of the events since `since`: the same events with the same ' +
    'bytes, each from attempt 1, at most 100 per second. While the webhook is failing or paused they are held.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  params: webhookParams,
  body: z.strictObject({
    since: instant.describe('ISO 8601 time, at most as far back as the delivery log (30 days)'),
  }),
  success: {
    status: 202,
    description: 'They are queued',
    body: z.strictObject({ queued: z.int().describe('Number of deliveries') }),
  },
  errors: ['not_found'],
  handle: async ({ principal, params, body }, ctx) => {
    refuseOtherTimes(ctx, body.since);
    return { queued: await recover(ctx, wholeOrganization(principal), params.id, body.since) };
  },
});

function refuseOtherTimes(ctx: Context, sinceMs: number): void {
  const { eventRetentionDays } = ctx.config;
  const nowMs = ctx.clock.now();
  if (sinceMs >= nowMs - eventRetentionDays * DAY_MS && sinceMs <= nowMs) return;
  const detail = `must be within the last ${eventRetentionDays} days`;
  throw new DomainError('invalid_request', `\`since\` ${detail}.`, {
    errors: [{ pointer: '/since', detail }],
  });
}
