import { invitationsInput, invitationsView, inviteMembers } from '../../shared/people/invite-members.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { route } from '../basics/route.ts';

export const createInvitations = route({
  method: 'post',
  path: '/v1/invitations',
  summary: 'Invite people',
  description:
    'For admins. Adds a member for each new address, and renews the invitation of those who have not joined; role and teams ' +
    'of the latter stay. Everybody signs in at `link`: the verified address decides. At most 500 invitations are mailed per ' +
    'organization and day, one per address and hour.',
  tag: 'Members',
  auth: { kind: 'idp', role: 'admin' },
  body: invitationsInput,
  success: { status: 200, description: 'The outcome of each address', body: invitationsView },
  creates: {
    prefix: 'inv',
    // Its transaction keeps the answer, so a repeat needs no look at what it created.
    get: async () => {
      throw new DomainError('not_found', 'Invitations are no object.');
    },
  },
  errors: ['missing_scope', 'conflict'],
  handle: async ({ principal, body }, ctx) => inviteMembers(ctx, principal.orgId, body),
});
