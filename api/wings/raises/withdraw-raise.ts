import { withOwned } from '../../../shared/wings/raises/read-raises.ts';
import { raiseView, viewRaise } from '../../../shared/wings/raises/view.ts';
import { withdrawRaise as withdraw } from '../../../shared/wings/raises/withdraw.ts';
import { route } from '../../basics/route.ts';
import { personOf, raiseParams } from './schemas.ts';

export const withdrawRaise = route({
  method: 'post',
  path: '/api/v1/raises/{id}/withdraw',
  summary: 'Withdraw a raise',
  tag: 'Raises',
  auth: { kind: 'api-key', scope: 'budgets:check' },
  params: raiseParams,
  success: { status: 200, description: 'The raise', body: raiseView },
  errors: ['missing_scope', 'not_found', 'conflict'],
  handle: async ({ principal, params }, ctx) =>
    viewRaise(
      await withdraw(ctx, personOf(principal), params.id),
      await withOwned(ctx, principal),
      ctx.clock.now(),
    ),
});
