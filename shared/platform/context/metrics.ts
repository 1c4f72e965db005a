import { gauge } from '../basics/metrics.ts';

export const partsReady = gauge({
  name: 'governor_ready',
  help: 'Whether a part answers (1) or not (0).',
  labelNames: ['part'],
});
