import { readRaise, withOwned } from '../../../shared/wings/raises/read-raises.ts';
import { raiseView, viewRaise } from '../../../shared/wings/raises/view.ts';
import { route } from '../../basics/route.ts';
import { keyViewer, raiseParams } from './schemas.ts';

export const getRaise = route({
  method: 'get',
  path: '/api/v1/raises/{id}',
  summary: 'Read a raise',
  tag: 'Raises',
  auth: { kind: 'api-key' },
  params: raiseParams,
  success: { status: 200, description: 'The raise', body: raiseView },
  errors: ['missing_scope', 'not_found'],
  handle: async ({ principal, params }, ctx) => {
    const viewer = await withOwned(ctx, keyViewer(principal));
    return viewRaise(await readRaise(ctx, viewer, params.id), viewer, ctx.clock.now());
  },
});
