import { askForDigest } from '../../../shared/wings/digests/ask-for-digest.ts';
import { route } from '../../basics/route.ts';

export const sendDigest = route({
  method: 'post',
  path: '/v1/preferences/digest',
  summary: 'Send a digest to oneself now',
  description:
    'One mail to the person who asks, as the digest that the person has chosen, or as the daily one. At most three within ' +
    'an hour. A `conflict` when no mail can go to the person.',
  tag: 'Members',
  auth: { kind: 'idp' },
  success: { status: 202, description: 'It is queued' },
  errors: ['conflict'],
  handle: async ({ principal }, ctx) => {
    await askForDigest(ctx, principal);
    return undefined;
  },
});
