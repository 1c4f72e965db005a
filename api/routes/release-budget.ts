import { releaseReservation } from '../../shared/core/limits/enforcement/reserve/release.ts';
import { route } from '../basics/route.ts';
import { releaseInput } from '../schemas/call.ts';

export const releaseBudget = route({
  method: 'post',
  path: '/api/v1/budgets/release',
  summary: 'End a reservation that is not used',
  description:
    "Its amount is free again within a second. A reservation that has ended, is unknown or belongs to another user than a bound key's " +
    'is left alone.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:check', fromMemory: true },
  priority: 'consume',
  bodyBytes: 8_192,
  body: releaseInput,
  success: { status: 204, description: 'The reservation holds nothing any more' },
  errors: ['rebuilding'],
  handle: async ({ principal, body }, ctx) => {
    await releaseReservation(ctx, principal.orgId, body.reservation_id, principal.userId);
    return undefined;
  },
});
