import { sayMoment } from '../../../../platform/basics/say-moment.ts';
import type { Words } from '../../record/new-event.ts';
import { amountOf, nameOf, type Payload, personOf, type Reader, textOf } from './describe.ts';
import type { Fact, Message } from './message.ts';
import { sayAmount, sayPart, sayPeriod, sayShare } from './say.ts';
import { oneLine, readable } from './text.ts';

type BudgetType = 'budget.warning' | 'budget.exceeded' | 'budget.threshold' | 'budget.forecast';

/** A level that a budget has reached, or will reach, in words. `budget.warning` names neither metric nor window. */
export function describeBudget(type: BudgetType, data: Payload, words: Words, reader: Reader): Message {
  const title = `Budget “${nameOf(data, 'budget_name')}” ${verdictOf(type, data)}`;
  const urgency = type === 'budget.exceeded' || isBeyond(type, data) ? 'high' : 'medium';
  return { title, urgency, facts: factsOf(type, data, words, reader), link: 'Open the budget' };
}

function verdictOf(type: BudgetType, data: Payload): string {
  switch (type) {
    case 'budget.exceeded':
      return 'is exceeded';
    case 'budget.warning':
      return 'has reached 80 %';
    case 'budget.threshold':
      return `${isBeyond(type, data) ? 'is exceeded: it ' : ''}has reached ${amountOf(data, 'alert_at')} %`;
    case 'budget.forecast':
      return 'will be exceeded at this pace';
  }
}

/** A channel gets the highest level only, so that a per cent beyond the limit stands for `budget.exceeded`. */
function isBeyond(type: BudgetType, data: Payload): boolean {
  return type === 'budget.threshold' && Number(data.alert_at) >= 100;
}

function factsOf(type: BudgetType, data: Payload, words: Words, reader: Reader): Fact[] {
  const metric = typeof data.metric === 'string' ? data.metric : words.metric;
  const cause = words.cause === undefined ? '' : causeOf(words.cause, words, reader);
  return [
    ['Used', usedOf(data, metric, words)],
    ...forecastOf(type, data, metric, words),
    ...(cause === '' ? [] : [['Cause', cause] as const]),
    ...scopeOf(data, words, reader),
  ];
}

function usedOf(data: Payload, metric: string | undefined, words: Words): string {
  const period = words.period ?? sayPeriod(typeof data.window === 'string' ? data.window : undefined);
  const [current, threshold] = [Number(data.current), Number(data.threshold)];
  const part = [sayPart(metric, current, threshold), period].filter(Boolean).join(' ');
  const share = current / threshold;
  return Number.isFinite(share) ? `${part} (${sayShare(share)})` : part;
}

function forecastOf(type: BudgetType, data: Payload, metric: string | undefined, words: Words): Fact[] {
  const forecast = type === 'budget.forecast' ? data.forecast : words.forecast;
  if (typeof forecast !== 'number') return [];
  const end = words.ends_at === undefined ? '' : ` by ${sayMoment(words.ends_at, words.timezone)}`;
  return [['On track', `${sayAmount(metric, forecast)}${end}`]];
}

/** The part of usage that stands out, in words: "70 % by one session of Tomás: 90 calls of run_tests". */
function causeOf(cause: NonNullable<Words['cause']>, words: Words, { seesPeople }: Reader): string {
  const { user_id, share_pct, session } = cause;
  const share = share_pct === undefined ? '' : `${readable(share_pct)} % by `;
  const person = personOf(user_id, words);
  if (!session) return seesPeople ? `${share}${person}` : '';
  return `${share}one session${seesPeople ? ` of ${person}` : ''}: ${callsOf(session)}`;
}

/** The calls of a session, in words: "90 calls of run_tests". */
export function callsOf({ calls, tool }: { calls: number; tool?: string }): string {
  const counted = calls === 1 ? '1 call' : `${readable(calls)} calls`;
  return tool === undefined ? counted : `${counted} of ${oneLine(tool, 60)}`;
}

const SCOPES: Readonly<Record<string, string>> = {
  org: 'Organization',
  team: 'Team',
  project: 'Project',
  user: 'Person',
};

function scopeOf(data: Payload, words: Words, { seesPeople }: Reader): Fact[] {
  const scope = textOf(data, 'scope');
  if (scope === 'user' && !seesPeople) return [];
  const id = textOf(data, 'scope_id');
  const name = scope === 'user' || scope === 'org' ? personOf(id, words) : id;
  return [[SCOPES[scope] ?? 'Scope', name]];
}
