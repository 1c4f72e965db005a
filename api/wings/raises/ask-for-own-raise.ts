import { askForRaise as ask } from '../../../shared/wings/raises/ask.ts';
import { readRaise, withOwned } from '../../../shared/wings/raises/read-raises.ts';
import { ownRaiseView, raiseInput, viewOwnRaise } from '../../../shared/wings/raises/view.ts';
import { route } from '../../basics/route.ts';
import { personViewer } from './schemas.ts';

export const askForOwnRaise = route({
  method: 'post',
  path: '/v1/raises',
  summary: 'Ask for more of a budget, as a person',
  description: 'As `POST /api/v1/raises`, for a member who is signed in.',
  tag: 'Raises',
  auth: { kind: 'idp' },
  body: raiseInput,
  success: { status: 201, description: 'The raise, which waits for an answer', body: ownRaiseView },
  creates: {
    prefix: 'rai',
    get: async (principal, id, ctx) =>
      viewOwnRaise(
        await readRaise(ctx, principal, id),
        await withOwned(ctx, personViewer(principal)),
        ctx.clock.now(),
      ),
  },
  errors: ['not_found', 'conflict', 'too_many_requests'],
  handle: async ({ principal, body }, ctx) =>
    viewOwnRaise(
      await ask(ctx, principal, body),
      await withOwned(ctx, personViewer(principal)),
      ctx.clock.now(),
    ),
});
