import { counter } from '../platform/basics/metrics.ts';

export const analyticsWeeks = counter({
  name: 'governor_analytics_weeks_total',
  help: 'Weeks of analytics that were frozen, and dimensions of them that were restated.',
  labelNames: ['outcome'],
});
