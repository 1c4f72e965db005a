import { askForRaise as ask } from '../../../shared/wings/raises/ask.ts';
import { readRaise, withOwned } from '../../../shared/wings/raises/read-raises.ts';
import { raiseInput, raiseView, viewRaise } from '../../../shared/wings/raises/view.ts';
import { route } from '../../basics/route.ts';
import { personOf } from './schemas.ts';

export const askForRaise = route({
  method: 'post',
  path: '/api/v1/raises',
  summary: 'Ask for more of a budget',
  description:
    'For keys that are bound to a user, in budgets that count this user. An admin answers. Approved, the amount is added to the ' +
    'threshold until the raise ends: of a template for this user alone, else for everybody in the budget. No raise outlasts a ' +
    'calendar window.',
  tag: 'Raises',
  auth: { kind: 'api-key', scope: 'budgets:check' },
  body: raiseInput,
  success: { status: 201, description: 'The raise, which waits for an answer', body: raiseView },
  creates: {
    prefix: 'rai',
    get: async (principal, id, ctx) =>
      viewRaise(
        await readRaise(ctx, personOf(principal), id),
        await withOwned(ctx, principal),
        ctx.clock.now(),
      ),
  },
  errors: ['missing_scope', 'not_found', 'conflict', 'too_many_requests'],
  handle: async ({ principal, body }, ctx) =>
    viewRaise(await ask(ctx, personOf(principal), body), await withOwned(ctx, principal), ctx.clock.now()),
});
