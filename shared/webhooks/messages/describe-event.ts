import {
  describeAnomaly,
  describeCredits,
  describeExport,
  describeHeld,
  describeSession,
  type Payload,
} from './describe.ts';
import { describeBudget } from './describe-budget.ts';
import { describeRaise } from './describe-raise.ts';
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
