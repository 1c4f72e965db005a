import { counter } from '../../platform/basics/metrics.ts';

export const purchaseEvents = counter({
  name: 'governor_credit_purchase_events_total',
  help: 'Events of Stripe by what became of them. Alert when `refused` or `failed` grows: somebody has paid.',
  labelNames: ['outcome'],
  shown: [{ outcome: 'refused' }, { outcome: 'failed' }],
});
