import { counter, histogram } from '../shared/platform/basics/metrics.ts';

export const jobSeconds = histogram({
  name: 'governor_job_seconds',
  help: 'Time of a job, by queue and outcome.',
  labelNames: ['queue', 'outcome'],
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
});

export const sweptRows = counter({
  name: 'governor_swept_total',
  help: 'Things found due without a live job.',
  labelNames: ['queue'],
});
