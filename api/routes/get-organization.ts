import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { organizationView, viewOrganization } from '../../shared/core/accounts/organizations/view.ts';
import { route } from '../basics/route.ts';

export const getOrganization = route({
  method: 'get',
  path: '/v1/organization',
  summary: 'Read the settings of the organization',
  description: 'For admins.',
  tag: 'Organization',
  auth: { kind: 'idp', role: 'admin' },
  success: { status: 200, description: 'The organization', body: organizationView },
  errors: ['missing_scope'],
  handle: async ({ principal }, ctx) =>
    viewOrganization(await readOrganization(ctx, principal.orgId), ctx.clock.now()),
});
