import { z } from 'zod';
import { narrowToReader } from '../../../shared/core/accounts/organizations/reader.ts';
import { text } from '../../../shared/platform/basics/text.ts';
import { listHeld } from '../../../shared/wings/held/list-held.ts';
import { HELD_STATES } from '../../../shared/wings/held/model.ts';
import { heldView, viewHeld } from '../../../shared/wings/held/view.ts';
import { route } from '../../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../../schemas/page.ts';

export const listHeldSignals = route({
  method: 'get',
  path: '/api/v1/held-signals',
  summary: 'List held signals',
  description:
    'Signals above a limit of the organization (`hold_above`). Nothing counts one until it is released. It is deleted when it ' +
    'is 35 days old.',
  tag: 'Signals',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  query: z.strictObject({
    state: z.enum(HELD_STATES).default('held').describe('Those that wait for a decision, or that had one'),
    user_id: text(256).optional().describe('Filter by user'),
    adapter: text(128).optional().describe('Filter by adapter'),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of held signals', body: pageOf(heldView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { limit: _limit, cursor: _cursor, order: _order, ...filter } = query;
    return answerPage(
      ctx,
      ['held signals', principal.orgId, principal.userId, filter],
      query,
      (page) => listHeld(ctx, principal.orgId, narrowToReader(principal, filter), page),
      viewHeld,
    );
  },
});
