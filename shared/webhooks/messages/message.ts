import type { EventType } from '../../platform/basics/contract.ts';
import { describeAnomaly, describeBudget, describeSession } from './describe.ts';

/** The envelope of an event, as a delivery carries it. */
export interface Envelope {
  id: string;
  type: EventType;
  org_id: string;
  /** ISO 8601. */
  ts: string;
  data: Record<string, unknown>;
}

/** An event in words. Everything in it is plain text of one line each; a format escapes it for its own markup. */
export interface Message {
  title: string;
  urgency: 'low' | 'medium' | 'high';
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
      return describeBudget(type, data);
    case 'anomaly.detected':
      return describeAnomaly(data);
  }
}
