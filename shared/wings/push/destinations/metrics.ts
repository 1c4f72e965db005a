import { counter, gauge } from '../../../platform/basics/metrics.ts';

export const exportRuns = counter({
  name: 'governor_export_runs_total',
  help: 'Runs of export destinations by outcome: succeeded, or the code of the failure.',
  labelNames: ['outcome'],
});

export const exportedBytes = counter({
  name: 'governor_export_bytes_total',
  help: 'Bytes of files that were written to export destinations.',
});

export const exportBehindDays = gauge({
  name: 'governor_export_behind_days',
  help: 'Finished days that the export destination which is furthest behind does not have.',
});
