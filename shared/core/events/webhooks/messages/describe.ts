import type { Fact, Message } from './message.ts';
import { oneLine, readable } from './text.ts';

export type Payload = Readonly<Record<string, unknown>>;

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

/** Signals that are held, in words. */
export function describeHeld(data: Payload): Message {
  const title = data.held === 1 ? '1 signal is held' : `${amountOf(data, 'held')} signals are held`;
  return {
    title: `${title} until an admin decides`,
    urgency: 'medium',
    facts: [
      ['Adapters', listOf(data, 'adapters')],
      ['Users', listOf(data, 'users')],
      ['Since', textOf(data, 'first_at')],
    ],
  };
}

/** A destination of exports that fails, in words. */
export function describeExport(data: Payload): Message {
  return {
    title: `The export to “${nameOf(data, 'name')}” fails`,
    urgency: 'high',
    facts: [
      ['Reason', textOf(data, 'code')],
      ['Since', textOf(data, 'since')],
      ['Last success', data.last_success_at === null ? 'none' : textOf(data, 'last_success_at')],
      ['Next attempt', data.next_attempt_at === null ? 'none' : textOf(data, 'next_attempt_at')],
    ],
  };
}

/** Credits that are low or used up, in words. */
export function describeCredits(type: 'credit.low' | 'credit.depleted', data: Payload): Message {
  const balances = Object.entries(data.balances ?? {});
  return {
    title: `Credits of “${nameOf(data, 'user_id')}” are ${type === 'credit.low' ? 'low' : 'used up'}`,
    urgency: type === 'credit.low' ? 'medium' : 'high',
    facts: [
      ['Left', amountOf(data, 'total')],
      ...balances.map(([bucket, left]): Fact => [sentence(bucket), readable(Number(left))]),
    ],
  };
}

function sentence(text: string): string {
  return oneLine(text.charAt(0).toUpperCase() + text.slice(1), NAME);
}

/** A name for a title. */
export function nameOf(data: Payload, field: string): string {
  return oneLine(wordsOf(data[field]), NAME);
}

/** A field as the value of a fact; a dash where there is nothing. */
export function textOf(data: Payload, field: string): string {
  return oneLine(wordsOf(data[field]), VALUE) || '–';
}

/** A list of names as the value of a fact. */
function listOf(data: Payload, field: string): string {
  const names = Array.isArray(data[field]) ? data[field].map(wordsOf) : [];
  return oneLine(names.join(', '), VALUE) || '–';
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A number as the value of a fact; a dash where there is none. */
export function amountOf(data: Payload, field: string): string {
  const value = data[field];
  return typeof value === 'number' ? readable(value) : '–';
}
