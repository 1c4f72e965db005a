import { CAUSES } from '../../core/limits/enforcement/check/judge.ts';
import { REFUSAL_WAYS } from '../../core/limits/enforcement/check/refused.ts';
import { counter } from '../../platform/basics/metrics.ts';

export const refusals = counter({
  name: 'governor_refusals_total',
  help: 'Calls that a budget refused, by the way in which somebody asked and the cause.',
  labelNames: ['way', 'cause'],
  shown: REFUSAL_WAYS.flatMap((way) => CAUSES.map((cause) => ({ way, cause }))),
});
