import { counter } from '../../platform/basics/metrics.ts';
import { RAISE_STATES } from './model.ts';

export const raisesChanged = counter({
  name: 'governor_raises_total',
  help: 'Raises by the state that they came to.',
  labelNames: ['status'],
  shown: RAISE_STATES.map((status) => ({ status })),
});
