import type { Fact, Message } from './message.ts';
import { oneLine, readable } from './text.ts';

type Payload = Readonly<Record<string, unknown>>;

/** Characters of a name within a title, and of the value of a fact. */
const NAME = 80;
const VALUE = 200;

/** A session that began or ended, in words. */
export function describeSession(type: 'session.started' | 'session.ended', data: Payload): Message {
  const hasEnded = type === 'session.ended';
  const what = hasEnded ? 'A session ended' : 'A session began';
  const ended: Fact[] = [
    ['Ended by', textOf(data, 'end_reason')],
    ['Signals', amountOf(data, 'signal_count')],
    ['Cost', `${amountOf(data, 'cost_usd')} USD`],
  ];
  return {
    title: data.test === true ? `Test message: ${what.toLowerCase()}` : what,
    urgency: 'low',
    facts: [
      ['User', textOf(data, 'user_id')],
      ['Project', textOf(data, 'project_id')],
      ['Model', textOf(data, 'model')],
      ...(hasEnded ? ended : []),
    ],
  };
}

/** A level that a budget has reached, in words. `budget.warning` names neither metric nor window. */
export function describeBudget(type: 'budget.warning' | 'budget.exceeded', data: Payload): Message {
  const isExceeded = type === 'budget.exceeded';
  const name = nameOf(data, 'budget_name');
  return {
    title: `Budget “${name}” ${isExceeded ? 'is exceeded' : 'has reached 80 %'}`,
    urgency: isExceeded ? 'high' : 'medium',
    facts: budgetFacts(data),
  };
}

/** How a budget stands: what is used of what, whose, in which window. */
export function budgetFacts(data: Payload): Fact[] {
  const unit = data.metric === undefined ? '' : ` ${unitOf(textOf(data, 'metric'))}`;
  const used = `${amountOf(data, 'current')} of ${amountOf(data, 'threshold')}${unit}`;
  const share = (Number(data.current) / Number(data.threshold)) * 100;
  return [
    ['Used', Number.isFinite(share) ? `${used} (${readable(Math.round(share * 10) / 10)} %)` : used],
    ['Scope', oneLine(`${textOf(data, 'scope')} ${textOf(data, 'scope_id')}`, VALUE)],
    ...(data.window === undefined ? [] : [['Window', textOf(data, 'window')] as const]),
  ];
}

/** Something unusual, in words. */
export function describeAnomaly(data: Payload): Message {
  return {
    title: `Unusual usage of “${nameOf(data, 'user_id')}”`,
    urgency: 'medium',
    facts: [
      ['What', textOf(data, 'anomaly_type').replaceAll('_', ' ')],
      ['Observed', amountOf(data, 'observed')],
      ['Usual', amountOf(data, 'baseline_avg')],
      ['Deviation', `${amountOf(data, 'deviation_pct')} %`],
      ['Session', textOf(data, 'session_id')],
    ],
  };
}

/** The unit in which a budget's metric counts. */
export function unitOf(metric: string): string {
  return metric === 'cost_usd' ? 'USD' : metric.replaceAll('_', ' ');
}

/** A name for a title. */
export function nameOf(data: Payload, field: string): string {
  return oneLine(wordsOf(data[field]), NAME);
}

/** A field as the value of a fact; a dash where there is nothing. */
export function textOf(data: Payload, field: string): string {
  return oneLine(wordsOf(data[field]), VALUE) || '–';
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A number as the value of a fact; a dash where there is none. */
export function amountOf(data: Payload, field: string): string {
  const value = data[field];
  return typeof value === 'number' ? readable(value) : '–';
}
