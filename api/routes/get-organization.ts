import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import {
  organizationViewOf,
  type Settings,
  viewOrganization,
} from '../../shared/core/accounts/organizations/settings.ts';
import { route } from '../basics/route.ts';

export const getOrganization = (settings: Settings) =>
  route({
    method: 'get',
    path: '/v1/organization',
    summary: 'Read the settings of the organization',
    description: 'For admins.',
    tag: 'Organization',
    auth: { kind: 'idp', role: 'admin' },
    success: { status: 200, description: 'The organization', body: organizationViewOf(settings) },
    errors: ['missing_scope'],
    handle: async ({ principal }, ctx) =>
      viewOrganization(await readOrganization(ctx, principal.orgId), settings, ctx.clock.now()),
  });
