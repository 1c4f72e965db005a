import { readRaise, withOwned } from '../../../shared/wings/raises/read-raises.ts';
import { ownRaiseView, viewOwnRaise } from '../../../shared/wings/raises/view.ts';
import { route } from '../../basics/route.ts';
import { personViewer, raiseParams } from './schemas.ts';

export const getOwnRaise = route({
  method: 'get',
  path: '/v1/raises/{id}',
  summary: 'Read a raise, as a person',
  tag: 'Raises',
  auth: { kind: 'idp' },
  params: raiseParams,
  success: { status: 200, description: 'The raise', body: ownRaiseView },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    const viewer = await withOwned(ctx, personViewer(principal));
    return viewOwnRaise(await readRaise(ctx, viewer, params.id), viewer, ctx.clock.now());
  },
});
