import { discardHeld } from '../../../shared/wings/held/decide.ts';
import { route } from '../../basics/route.ts';
import { decisions, heldIds } from './schemas.ts';

export const discardHeldSignals = route({
  method: 'post',
  path: '/api/v1/held-signals/discard',
  summary: 'Discard held signals',
  description:
    'They will never count, and a repeat of one is `rejected` as `discarded`. One that was decided about before keeps that ' +
    'decision, and says it.',
  tag: 'Signals',
  auth: { kind: 'api-key', scope: 'signals:correct' },
  priority: 'read',
  body: heldIds,
  success: { status: 200, description: 'The outcome for each', body: decisions },
  handle: async ({ principal, body }, ctx) => ({
    results: await discardHeld(ctx, principal.orgId, body.ids),
  }),
});
