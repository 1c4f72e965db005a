import { sayMoment } from '../../../../platform/basics/say-moment.ts';
import type { Words } from '../../record/new-event.ts';
import {
  describeCredits,
  describeExport,
  describeHeld,
  describeSession,
  momentOf,
  nameOf,
  type Payload,
  personOf,
  type Reader,
  textOf,
} from './describe.ts';
import { describeAnomalies } from './describe-anomaly.ts';
import { describeBudget } from './describe-budget.ts';
import type { Envelope, Fact, LinkedMessage, Message } from './message.ts';
import { sayAmount } from './say.ts';
import { oneLine, readable } from './text.ts';

/** Characters of a title; of the label and of the value of a fact. */
const TITLE = 250;
const NAME = 80;
const VALUE = 200;

/**
 * An event in words, with what was kept beside it. Where `seesPeople` is false the message names nobody as a cause. Pure; the
 * same event gives the same message.
 */
export function messageOf(
  { type, data, ts }: Pick<Envelope, 'type' | 'data' | 'ts'>,
  words: Words = {},
  reader: Reader = { seesPeople: true },
): LinkedMessage {
  const { link: label, facts, title, urgency } = describe(type, data, words, reader);
  const url = linkOf(typeof data.link === 'string' ? data.link : words.link);
  const at = oneLine(sayMoment(ts, words.timezone), VALUE);
  // Any field may come from outside, also one that is a number or a unit as a rule.
  const safe = facts.map(([name, value]): Fact => [oneLine(name, NAME), oneLine(value, VALUE) || '–']);
  return {
    title: oneLine(title, TITLE),
    urgency,
    facts: safe,
    at,
    ...(url === null ? {} : { link: [label, url] }),
  };
}

/** A page of this service, by its address as the service has written it; null where there is none. */
function linkOf(link: string | undefined): string | null {
  const url = link !== undefined && URL.canParse(link) ? new URL(link) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}

function describe(type: Envelope['type'], data: Payload, words: Words, reader: Reader): Message {
  switch (type) {
    case 'session.started':
    case 'session.ended':
      return describeSession(type, data, words);
    case 'budget.warning':
    case 'budget.exceeded':
    case 'budget.threshold':
    case 'budget.forecast':
      return describeBudget(type, data, words, reader);
    case 'budget.raise_requested':
    case 'budget.raise_answered':
      return describeRaise(type, data, words);
    case 'credit.low':
    case 'credit.depleted':
      return describeCredits(type, data, words);
    case 'digest':
      return describeDigest(data, words, reader);
    case 'anomaly.detected':
      return describeAnomalies([{ data, words }]);
    case 'signals.held':
      return describeHeld(data, words);
    case 'export.failed':
      return describeExport(data, words);
  }
}

/** An event in a digest. Its organization is that of the digest. */
export type Collected = Omit<Envelope, 'org_id'>;

/** A chat shows about ten facts at once. */
const SHOWN = 9;

/** Its first events, one per line, and how many more there are. Anomalies that were collected for a moment are one message. */
function describeDigest(data: Payload, words: Words, reader: Reader): Message {
  const events = (Array.isArray(data.events) ? data.events : []) as Collected[];
  const told = events.map((event, at) => ({ ...event, words: words.events?.[at] ?? {} }));
  if (data.about === 'anomalies') return describeAnomalies(told);
  const shown = told
    .slice(0, SHOWN)
    .map((event): Fact => [sayMoment(event.ts, words.timezone), messageOf(event, event.words, reader).title]);
  const more = events.length - shown.length;
  const rest: Fact[] = more === 0 ? [] : [['And', `${readable(more)} more`]];
  return {
    title: events.length === 1 ? 'Digest: 1 event' : `Digest: ${readable(events.length)} events`,
    urgency: 'low',
    facts: [...shown, ...rest],
    link: 'Open the channel',
  };
}

type RaiseType = 'budget.raise_requested' | 'budget.raise_answered';

function describeRaise(type: RaiseType, data: Payload, words: Words): Message {
  const who = `“${personOf(nameOf(data, 'user_id'), words)}”`;
  const budget = `“${nameOf(data, 'budget_name')}”`;
  const isAnswer = type === 'budget.raise_answered';
  const amount = sayAmount(textOf(data, 'metric'), Number(data.amount));
  const until: Fact[] =
    typeof data.ends_at === 'string' && data.ends_at !== ''
      ? [['Until', momentOf(data, 'ends_at', words)]]
      : [];
  return {
    title: isAnswer
      ? `More of ${budget} for ${who}: ${textOf(data, 'status')}`
      : `${who} asks for more of ${budget}`,
    urgency: isAnswer ? 'low' : 'medium',
    facts: [['Amount', amount], ...until],
    link: isAnswer ? 'Open the raise' : 'Answer it',
  };
}
