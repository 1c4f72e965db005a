import { sayMoment } from '../../../../platform/basics/say-moment.ts';
import type { Words } from '../../record/new-event.ts';
import type { Fact, Message } from './message.ts';
import { sayMoney } from './say.ts';
import { oneLine, readable } from './text.ts';

export type Payload = Readonly<Record<string, unknown>>;

/** Characters of a name within a title, and of the value of a fact. */
const NAME = 80;
const VALUE = 200;

/** The reader of a message. The owner of a budget is not shown what others have of it. */
export interface Reader {
  seesPeople: boolean;
}

export function describeSession(
  type: 'session.started' | 'session.ended',
  data: Payload,
  words: Words,
): Message {
  const hasEnded = type === 'session.ended';
  const what = hasEnded ? 'A session ended' : 'A session began';
  const ended: Fact[] = [
    ['Ended by', textOf(data, 'end_reason')],
    ['Calls', amountOf(data, 'signal_count')],
    ['Cost', moneyOf(data, 'cost_usd')],
  ];
  const isTest = data.test === true;
  return {
    title: isTest ? `Test message: ${what.toLowerCase()}` : what,
    urgency: 'low',
    facts: [
      ['Person', personOf(textOf(data, 'user_id'), words)],
      ['Project', textOf(data, 'project_id')],
      ['Model', textOf(data, 'model')],
      ...(hasEnded ? ended : []),
    ],
    link: isTest ? 'Open the channel' : 'Open the session',
  };
}

export function describeHeld(data: Payload, words: Words): Message {
  const title = data.held === 1 ? '1 call is held' : `${amountOf(data, 'held')} calls are held`;
  const people = Array.isArray(data.users) ? data.users.map((id) => personOf(wordsOf(id), words)) : [];
  return {
    title: `${title} until an admin decides`,
    urgency: 'medium',
    facts: [
      ['Tools', listOf(data, 'adapters')],
      ['People', oneLine(people.join(', '), VALUE) || '–'],
      ['Since', momentOf(data, 'first_at', words)],
    ],
    link: 'Decide',
  };
}

export function describeExport(data: Payload, words: Words): Message {
  return {
    title: `The export to “${nameOf(data, 'name')}” fails`,
    urgency: 'high',
    facts: [
      ['Reason', textOf(data, 'code').replaceAll('_', ' ')],
      ['Since', momentOf(data, 'since', words)],
      ['Last success', momentOf(data, 'last_success_at', words)],
      ['Next attempt', momentOf(data, 'next_attempt_at', words)],
    ],
    link: 'Open the destination',
  };
}

export function describeCredits(
  type: 'credit.low' | 'credit.depleted',
  data: Payload,
  words: Words,
): Message {
  const balances = Object.entries(data.balances ?? {});
  const person = personOf(nameOf(data, 'user_id'), words);
  return {
    title: `Credits of “${person}” are ${type === 'credit.low' ? 'low' : 'used up'}`,
    urgency: type === 'credit.low' ? 'medium' : 'high',
    facts: [
      ['Left', amountOf(data, 'total')],
      ...balances.map(([bucket, left]): Fact => [sentence(bucket), readable(Number(left))]),
    ],
    link: 'Open credits',
  };
}

function sentence(text: string): string {
  return oneLine(text.charAt(0).toUpperCase() + text.slice(1), NAME);
}

export function nameOf(data: Payload, field: string): string {
  return oneLine(wordsOf(data[field]), NAME);
}

/** A field as the value of a fact; a dash where there is nothing. */
export function textOf(data: Payload, field: string): string {
  return oneLine(wordsOf(data[field]), VALUE) || '–';
}

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

function moneyOf(data: Payload, field: string): string {
  const value = data[field];
  return typeof value === 'number' ? sayMoney(value) : '–';
}

/** A moment as the value of a fact, in the zone of the organization; "none" where there is none. */
export function momentOf(data: Payload, field: string, { timezone }: Words): string {
  return data[field] === null ? 'none' : oneLine(sayMoment(textOf(data, field), timezone), VALUE);
}

/** The name of a person, or of an organization; the id where no name is known. */
export function personOf(id: string, { names = {} }: Words): string {
  return oneLine((Object.hasOwn(names, id) ? names[id] : '') || id, NAME);
}
