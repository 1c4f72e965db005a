import { counter } from '../../../../platform/basics/metrics.ts';

export const reservationsUnsettled = counter({
  name: 'governor_reservations_unsettled_total',
  help: 'Reservations that ended after their ttl_s, neither settled by a signal nor released.',
});
