import { gauge } from '../basics/metrics.ts';

export const clockSkew = gauge({
  name: 'governor_clock_skew_seconds',
  help: "How far a worker's clock is ahead of those of the stores.",
});

export const partsReady = gauge({
  name: 'governor_ready',
  help: '1 while a part answers, else 0.',
  labelNames: ['part'],
});
