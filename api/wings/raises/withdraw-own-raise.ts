import { withOwned } from '../../../shared/wings/raises/read-raises.ts';
import { ownRaiseView, viewOwnRaise } from '../../../shared/wings/raises/view.ts';
import { withdrawRaise as withdraw } from '../../../shared/wings/raises/withdraw.ts';
import { route } from '../../basics/route.ts';
import { personViewer, raiseParams } from './schemas.ts';

export const withdrawOwnRaise = route({
  method: 'post',
  path: '/v1/raises/{id}/withdraw',
  summary: 'Withdraw a raise, as a person',
  tag: 'Raises',
  auth: { kind: 'idp' },
  params: raiseParams,
  success: { status: 200, description: 'The raise', body: ownRaiseView },
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, params }, ctx) =>
    viewOwnRaise(
      await withdraw(ctx, principal, params.id),
      await withOwned(ctx, personViewer(principal)),
      ctx.clock.now(),
    ),
});
