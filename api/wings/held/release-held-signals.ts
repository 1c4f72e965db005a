import { releaseHeld } from '../../../shared/wings/held/release-held.ts';
import { route } from '../../basics/route.ts';
import { decisions, heldIds } from './schemas.ts';

export const releaseHeldSignals = route({
  method: 'post',
  path: '/api/v1/held-signals/release',
  summary: 'Release held signals',
  description:
    'Records them as if they came now, whatever their size, each at its own time. One that was decided about before keeps that ' +
    'decision, and says it.',
  tag: 'Signals',
  auth: { kind: 'api-key', scope: 'signals:correct' },
  priority: 'read',
  body: heldIds,
  success: { status: 200, description: 'The outcome for each', body: decisions },
  handle: async ({ principal, body }, ctx) => ({
    results: await releaseHeld(ctx, principal.orgId, body.ids),
  }),
});
