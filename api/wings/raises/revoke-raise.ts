import { statusCache } from '../../../shared/core/limits/enforcement/state/cached-status.ts';
import { revokeRaise as revoke } from '../../../shared/wings/raises/answer.ts';
import { ownRaiseView, refusalInput, viewOwnRaise } from '../../../shared/wings/raises/view.ts';
import { route } from '../../basics/route.ts';
import { approverOf, personViewer, raiseParams } from './schemas.ts';

export const revokeRaise = route({
  method: 'post',
  path: '/v1/raises/{id}/revoke',
  summary: 'End a raise that is in force',
  description: 'For admins, never for the one who asked. The threshold is as before from this answer on.',
  tag: 'Raises',
  auth: { kind: 'idp', role: 'admin' },
  params: raiseParams,
  body: refusalInput,
  success: { status: 200, description: 'The raise', body: ownRaiseView },
  errors: ['missing_scope', 'own_request', 'not_found', 'conflict'],
  handle: async ({ principal, params, body }, ctx) => {
    const raise = await revoke(ctx, approverOf(principal), params.id, body.note);
    await statusCache(ctx).renew(principal.orgId);
    return viewOwnRaise(raise, personViewer(principal), ctx.clock.now());
  },
});
