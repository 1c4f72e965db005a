import { listRaises as list, withOwned } from '../../../shared/wings/raises/read-raises.ts';
import { raiseView, viewRaise } from '../../../shared/wings/raises/view.ts';
import { route } from '../../basics/route.ts';
import { answerPage, pageOf } from '../../schemas/page.ts';
import { keyViewer, raiseQuery } from './schemas.ts';

export const listRaises = route({
  method: 'get',
  path: '/api/v1/raises',
  summary: 'List raises',
  description:
    'A key that is bound to a user sees those of this user, with `budgets:check` or `usage:read`; any other needs `usage:read`.',
  tag: 'Raises',
  auth: { kind: 'api-key' },
  query: raiseQuery,
  success: { status: 200, description: 'A page of raises, newest first', body: pageOf(raiseView) },
  errors: ['missing_scope', 'invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { limit: _limit, cursor: _cursor, order: _order, ...filter } = query;
    const viewer = await withOwned(ctx, keyViewer(principal));
    return answerPage(
      ctx,
      ['raises', viewer.orgId, viewer.userId, filter],
      query,
      (page) => list(ctx, viewer, filter, page),
      (raise) => viewRaise(raise, viewer, ctx.clock.now()),
    );
  },
});
