import { counter } from '../../../platform/basics/metrics.ts';

export const codeHostEvents = counter({
  name: 'governor_code_host_events_total',
  help: 'Signed events of code hosts by provider and outcome.',
  labelNames: ['provider', 'outcome'],
});
