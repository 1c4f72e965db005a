import { counter } from '../../../platform/basics/metrics.ts';

export const usageDrift = counter({
  name: 'governor_usage_drift_rows_total',
  help: 'Rollups that were not the sum of their signals, and snapshots that were not their rollups.',
});
