import { describeAnomaly, describeCredits, describeSession } from './describe.ts';
import { describeBudget } from './describe-budget.ts';
import { describeDigest } from './describe-digest.ts';
import type { Envelope, Message } from './message.ts';

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
