import { listRaises as list, withOwned } from '../../../shared/wings/raises/read-raises.ts';
import { ownRaiseView, viewOwnRaise } from '../../../shared/wings/raises/view.ts';
import { route } from '../../basics/route.ts';
import { answerPage, pageOf } from '../../schemas/page.ts';
import { personViewer, raiseQuery } from './schemas.ts';

export const listOwnRaises = route({
  method: 'get',
  path: '/v1/raises',
  summary: 'List raises, as a person',
  description: 'A member sees their own, an admin those of everybody.',
  tag: 'Raises',
  auth: { kind: 'idp' },
  query: raiseQuery,
  success: { status: 200, description: 'A page of raises, newest first', body: pageOf(ownRaiseView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { limit: _limit, cursor: _cursor, order: _order, ...filter } = query;
    const viewer = await withOwned(ctx, personViewer(principal));
    return answerPage(
      ctx,
      ['own raises', viewer.orgId, viewer.userId, filter],
      query,
      (page) => list(ctx, viewer, filter, page),
      (raise) => viewOwnRaise(raise, viewer, ctx.clock.now()),
    );
  },
});
