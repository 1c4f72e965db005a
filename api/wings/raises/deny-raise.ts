import { denyRaise as deny } from '../../../shared/wings/raises/answer.ts';
import { ownRaiseView, refusalInput, viewOwnRaise } from '../../../shared/wings/raises/view.ts';
import { route } from '../../basics/route.ts';
import { approverOf, personViewer, raiseParams } from './schemas.ts';

export const denyRaise = route({
  method: 'post',
  path: '/v1/raises/{id}/deny',
  summary: 'Deny a raise',
  description: 'For admins, never for the one who asked.',
  tag: 'Raises',
  auth: { kind: 'idp', role: 'admin' },
  params: raiseParams,
  body: refusalInput,
  success: { status: 200, description: 'The raise', body: ownRaiseView },
  errors: ['missing_scope', 'own_request', 'not_found', 'conflict'],
  handle: async ({ principal, params, body }, ctx) => {
    const raise = await deny(ctx, approverOf(principal), params.id, body.note);
    return viewOwnRaise(raise, personViewer(principal), ctx.clock.now());
  },
});
