import { z } from 'zod';
import { readOrganization, timezoneAt } from '../../shared/core/accounts/organizations/read-organization.ts';
import { BODY_BYTES, PLANS, SCOPES, SIGNALS_PER_REQUEST } from '../../shared/platform/basics/contract.ts';
import { route } from '../basics/route.ts';

export const getKeyOrganization = route({
  method: 'get',
  path: '/api/v1/organization',
  summary: 'Read whose key this is',
  description: 'The organization behind the API key, its settings and limits, and what the key may do.',
  tag: 'Organization',
  auth: { kind: 'api-key' },
  success: {
    status: 200,
    description: 'The organization and the key',
    body: z.strictObject({
      id: z.string().describe('The `orgId` of `/api/v1/org/{orgId}/…`'),
      name: z.string(),
      plan: z.enum(PLANS),
      timezone: z.string(),
      session_timeout: z.int(),
      k_anonymity: z.int(),
      key: z
        .strictObject({
          id: z.string(),
          scopes: z.array(z.enum(SCOPES)),
          user_id: z.string().nullable().describe('The one user that the key sees and reports, or null'),
          project_id: z.string().nullable().describe('The project of signals that name none, or null'),
        })
        .describe('This key'),
      limits: z.strictObject({
        requests_per_second: z.int(),
        body_bytes: z.int(),
        signals_per_request: z.int(),
        webhooks: z.int(),
      }),
    }),
  },
  handle: async ({ principal }, ctx) => {
    const organization = await readOrganization(ctx, principal.orgId);
    const { keyId, scopes, userId, projectId } = principal;
    return {
      id: organization._id,
      name: organization.name,
      plan: organization.plan,
      timezone: timezoneAt(organization, ctx.clock.now()),
      session_timeout: organization.session_timeout,
      k_anonymity: organization.k_anonymity,
      key: { id: keyId, scopes: [...scopes], user_id: userId, project_id: projectId },
      limits: {
        requests_per_second: ctx.config.rateLimitPerKey,
        body_bytes: BODY_BYTES,
        signals_per_request: SIGNALS_PER_REQUEST,
        webhooks: ctx.config.webhooksPerOrganization,
      },
    };
  },
});
