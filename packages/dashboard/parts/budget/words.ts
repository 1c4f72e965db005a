import type { Budget } from '../../data/queries.ts';
import { dateIn, plusDays } from '../../data/range.ts';
import { amount } from '../text/format.ts';
import { plainName } from '../text/plain-name.ts';

/** The metrics of a budget, in words. */
export const METRICS: Record<Budget['metric'], string> = {
  cost_usd: 'Cost (US dollars)',
  tokens: 'Tokens',
  tokens_in: 'Tokens in',
  tokens_out: 'Tokens out',
  signals: 'Calls',
  sessions: 'Sessions',
  errors: 'Errors',
};

/** The metric, the scope and the filter of a budget: a user by name where it is known. */
export function scopeWords(
  { scope, scope_id, per, metric, filter }: Pick<Budget, 'scope' | 'scope_id' | 'per' | 'metric' | 'filter'>,
  names: ReadonlyMap<string, string>,
): string {
  const known = scope === 'user' ? names.get(scope_id) : undefined;
  const all = scope === 'org' ? 'the whole organization' : `the ${scope} ${plainName(known ?? scope_id)}`;
  const whose = !per ? all : scope === 'org' ? 'each person' : `each person of ${all}`;
  const only = filter === null ? '' : `, only ${filterWords(filter)}`;
  return `${metric === 'cost_usd' ? 'Cost' : METRICS[metric]} of ${whose}${only}`;
}

/** The calls of a filter: values of one list are alternatives. */
function filterWords(filter: NonNullable<Budget['filter']>): string {
  const lists = [filter.models, filter.providers, filter.adapters];
  return lists.flatMap((list) => (list ? [list.map(plainName).join(' or ')] : [])).join(' by ');
}

/** The forecast of a budget, in words; null where its window does not end. */
export function forecastWords({
  forecast,
  threshold_now,
  metric,
  state,
  window_end,
}: Pick<Budget, 'forecast' | 'threshold_now' | 'metric' | 'state' | 'window_end'>): string | null {
  if (window_end === null) return null;
  if (state === 'exceeded') return `Exceeded. At this pace it ends at ${amount(metric, forecast)}.`;
  if (forecast >= threshold_now)
    return `At this pace it will be exceeded: ${amount(metric, forecast)} by the window’s end.`;
  return `On track: ${amount(metric, forecast)} by the window’s end.`;
}

/** The search of the sessions that a budget counts: the days of its window, and its user or project. Null for a team. */
export function sessionsSearch({
  scope,
  scope_id,
  per,
  top_user_id,
  window_start,
  window_end,
  timezone,
}: Pick<
  Budget,
  'scope' | 'scope_id' | 'per' | 'top_user_id' | 'window_start' | 'window_end' | 'timezone'
>): Record<string, string> | null {
  if (per ? top_user_id === null : scope === 'team') return null;
  const from = dateIn(timezone, Date.parse(window_start));
  const last = dateIn(timezone, window_end === null ? Date.now() : Date.parse(window_end) - 1);
  const days = { range: 'custom', from, to: plusDays(last, 1) };
  if (per && top_user_id !== null) return { ...days, user_id: top_user_id };
  return scope === 'org' ? days : { ...days, [`${scope}_id`]: scope_id };
}
