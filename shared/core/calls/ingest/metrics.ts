import { counter, histogram } from '../../../platform/basics/metrics.ts';

export const signalsRecorded = counter({
  name: 'governor_signals_total',
  help: 'Signals by outcome.',
  labelNames: ['status'],
});

export const signalBatchSize = histogram({
  name: 'governor_signal_batch_size',
  help: 'Signals committed by one transaction.',
  buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
});

export const signalsVoided = counter({
  name: 'governor_signals_voided_total',
  help: 'Signals that were voided.',
});
