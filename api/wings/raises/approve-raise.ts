import { statusCache } from '../../../shared/core/limits/enforcement/state/cached-status.ts';
import { approveRaise as approve } from '../../../shared/wings/raises/answer.ts';
import { approvalInput, ownRaiseView, viewOwnRaise } from '../../../shared/wings/raises/view.ts';
import { route } from '../../basics/route.ts';
import { approverOf, personViewer, raiseParams } from './schemas.ts';

export const approveRaise = route({
  method: 'post',
  path: '/v1/raises/{id}/approve',
  summary: 'Approve a raise',
  description:
    'For admins, never for the one who asked. The first of several answers is taken; the same approval again changes nothing. From this answer on every process decides by the raised threshold within half a second.',
  tag: 'Raises',
  auth: { kind: 'idp', role: 'admin' },
  params: raiseParams,
  body: approvalInput,
  success: { status: 200, description: 'The raise', body: ownRaiseView },
  errors: ['missing_scope', 'own_request', 'not_found', 'conflict'],
  handle: async ({ principal, params, body }, ctx) => {
    const raise = await approve(ctx, approverOf(principal), params.id, body);
    await statusCache(ctx).renew(principal.orgId);
    return viewOwnRaise(raise, personViewer(principal), ctx.clock.now());
  },
});
