import {
  organizationChangeOf,
  organizationViewOf,
  type Settings,
  viewOrganization,
} from '../../shared/core/accounts/organizations/settings.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { route } from '../basics/route.ts';

export const updateOrganization = (settings: Settings) =>
  route({
    method: 'patch',
    path: '/v1/organization',
    summary: 'Change the settings of the organization',
    description: 'For admins. Omitted fields keep their value. Only the operator changes the plan.',
    tag: 'Organization',
    auth: { kind: 'idp', role: 'admin' },
    body: organizationChangeOf(settings),
    success: { status: 200, description: 'The organization', body: organizationViewOf(settings) },
    errors: ['missing_scope'],
    handle: async ({ principal, body }, ctx) =>
      viewOrganization(await changeOrganization(ctx, principal.orgId, body), settings, ctx.clock.now()),
  });
