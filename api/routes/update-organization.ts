import {
  organizationChange,
  organizationView,
  viewOrganization,
} from '../../shared/core/accounts/organizations/view.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { route } from '../basics/route.ts';

export const updateOrganization = route({
  method: 'patch',
  path: '/v1/organization',
  summary: 'Change the settings of the organization',
  description: 'For admins. Omitted fields keep their value. Only the operator changes the plan.',
  tag: 'Organization',
  auth: { kind: 'idp', role: 'admin' },
  body: organizationChange,
  success: { status: 200, description: 'The organization', body: organizationView },
  errors: ['missing_scope'],
  handle: async ({ principal, body }, ctx) =>
    viewOrganization(await changeOrganization(ctx, principal.orgId, body), ctx.clock.now()),
});
