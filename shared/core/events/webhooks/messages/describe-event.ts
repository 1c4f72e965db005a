import {
  amountOf,
  describeAnomaly,
  describeCredits,
  describeExport,
  describeHeld,
  describeSession,
  nameOf,
  type Payload,
  textOf,
} from './describe.ts';
import { describeBudget, unitOf } from './describe-budget.ts';
import type { Envelope, Fact, Message } from './message.ts';
import { readable } from './text.ts';

/** An event in words. Pure; the same envelope gives the same message. */
export function messageOf({ type, data }: Pick<Envelope, 'type' | 'data'>): Message {
  switch (type) {
    case 'session.started':
    case 'session.ended':
      return describeSession(type, data);
    case 'budget.warning':
    case 'budget.exceeded':
    case 'budget.threshold':
    case 'budget.forecast':
      return describeBudget(type, data);
    case 'budget.raise_requested':
    case 'budget.raise_answered':
      return describeRaise(type, data);
    case 'credit.low':
    case 'credit.depleted':
      return describeCredits(type, data);
    case 'digest':
      return describeDigest(data);
    case 'anomaly.detected':
      return describeAnomaly(data);
    case 'signals.held':
      return describeHeld(data);
    case 'export.failed':
      return describeExport(data);
  }
}

/** An event in a digest. Its organization is that of the digest. */
export type Collected = Omit<Envelope, 'org_id'>;

/** A chat shows about ten facts at once. */
const SHOWN = 9;

/** Its first events, one per line, and how many more there are. */
function describeDigest(data: Payload): Message {
  const events = (Array.isArray(data.events) ? data.events : []) as Collected[];
  const shown = events
    .slice(0, SHOWN)
    .map((event): Fact => [event.ts.slice(0, 16).replace('T', ' '), messageOf(event).title]);
  const more = events.length - shown.length;
  const rest: Fact[] = more === 0 ? [] : [['And', `${readable(more)} more`]];
  return {
    title: events.length === 1 ? 'Digest: 1 event' : `Digest: ${readable(events.length)} events`,
    urgency: 'low',
    facts: [...shown, ...rest],
  };
}

type RaiseType = 'budget.raise_requested' | 'budget.raise_answered';

/** A request for more of a budget, or the answer to it, in words. */
function describeRaise(type: RaiseType, data: Payload): Message {
  const who = `“${nameOf(data, 'user_id')}”`;
  const budget = `“${nameOf(data, 'budget_name')}”`;
  const isAnswer = type === 'budget.raise_answered';
  return {
    title: isAnswer
      ? `More of ${budget} for ${who}: ${textOf(data, 'status')}`
      : `${who} asks for more of ${budget}`,
    urgency: isAnswer ? 'low' : 'medium',
    facts: factsOf(data),
    ...linkTo(data.link),
  };
}

/** The page of a raise, by its address as this service has written it. */
function linkTo(link: unknown): Pick<Message, 'link'> {
  const url = typeof link === 'string' && URL.canParse(link) ? new URL(link) : null;
  return url && /^https?:$/.test(url.protocol) ? { link: ['Answer at', url.href] } : {};
}

function factsOf(data: Payload): Fact[] {
  const until: Fact[] =
    typeof data.ends_at === 'string' && data.ends_at !== '' ? [['Until', textOf(data, 'ends_at')]] : [];
  return [['Amount', `${amountOf(data, 'amount')} ${unitOf(textOf(data, 'metric'))}`], ...until];
}
