import { counter } from '../../platform/basics/metrics.ts';

export const signalsHeld = counter({
  name: 'governor_signals_held_total',
  help: 'Signals above a limit of their organization, which were held.',
});
