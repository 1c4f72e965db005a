import type { EventType } from '../../platform/basics/contract.ts';
import { describeAnomaly, describeCredits, describeSession } from './describe.ts';
import { describeBudget } from './describe-budget.ts';
import { describeDigest } from './describe-digest.ts';

/** The envelope of an event, as a delivery carries it. */
export interface Envelope {
  id: string;
  type: EventType;
  org_id: string;
  /** ISO 8601. */
  ts: string;
  data: Record<string, unknown>;
}

/** How soon somebody should look. */
export const URGENCIES = ['low', 'medium', 'high'] as const;

/** An event in words. Everything in it is plain text of one line each; a format escapes it for its own markup. */
export interface Message {
  title: string;
  urgency: (typeof URGENCIES)[number];
  /** What there is to know, at most ten. */
  facts: readonly Fact[];
}

export type Fact = readonly [label: string, value: string];

/** An event in words. Pure; the same envelope gives the same message. */
export function messageOf(envelope: Envelope): Message {
  const { type, data } = envelope;
  switch (type) {
    case 'session.started':
    case 'session.ended':
      return describeSession(type, data);
    case 'budget.warning':
    case 'budget.exceeded':
    case 'budget.threshold':
    case 'budget.forecast':
      return describeBudget(type, data);
    case 'credit.low':
    case 'credit.depleted':
      return describeCredits(type, data);
    case 'digest':
      return describeDigest(data, messageOf);
    case 'anomaly.detected':
      return describeAnomaly(data);
  }
}
