import type { Budget } from './budget-bar.tsx';
import { amount } from './format.ts';

/** What can be counted, in words. */
export const METRICS: Record<Budget['metric'], string> = {
  cost_usd: 'Cost (US dollars)',
  tokens: 'Tokens',
  tokens_in: 'Tokens in',
  tokens_out: 'Tokens out',
  signals: 'Signals',
  sessions: 'Sessions',
  errors: 'Errors',
};

/** What a budget counts, and whose. */
export function scopeWords({
  scope,
  scope_id,
  metric,
}: Pick<Budget, 'scope' | 'scope_id' | 'metric'>): string {
  const whose = scope === 'org' ? 'the whole organization' : `the ${scope} ${scope_id}`;
  return `${metric === 'cost_usd' ? 'Cost' : METRICS[metric]} of ${whose}`;
}

/** What the forecast means, in words. */
export function forecastWords({ forecast, threshold, metric, state }: Budget): string {
  if (state === 'exceeded') return `Exceeded. At this pace it ends at ${amount(metric, forecast)}.`;
  if (forecast >= threshold)
    return `At this pace it will be exceeded: ${amount(metric, forecast)} at the window’s end.`;
  return `At this pace it lasts: ${amount(metric, forecast)} at the window’s end.`;
}
