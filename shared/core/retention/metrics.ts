import { counter } from '../../platform/basics/metrics.ts';

export const purgedRows = counter({
  name: 'governor_purged_rows_total',
  help: 'Rows deleted after their retention, by kind.',
  labelNames: ['kind'],
});
