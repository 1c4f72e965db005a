import { counter } from '../../platform/basics/metrics.ts';

export const spendsDecided = counter({
  name: 'governor_spends_total',
  help: 'Spends of a credit by what the script answered.',
  labelNames: ['outcome'],
});
