import { counter } from '../../../platform/basics/metrics.ts';

export const contextsTold = counter({
  name: 'governor_contexts_total',
  help: 'Contexts of client sessions by outcome.',
  labelNames: ['status'],
});

export const callsMoved = counter({
  name: 'governor_moved_calls_total',
  help: 'Calls that belong to another work since a context or a boundary came late.',
  labelNames: ['cause'],
});
