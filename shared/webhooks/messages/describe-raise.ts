import { amountOf, nameOf, type Payload, textOf } from './describe.ts';
import { unitOf } from './describe-budget.ts';
import type { Fact, Message } from './message.ts';
import { oneLine } from './text.ts';

type RaiseType = 'budget.raise_requested' | 'budget.raise_answered';

/** Characters of a note. */
const NOTE = 500;

/** A request for more of a budget, or the answer to it, in words. */
export function describeRaise(type: RaiseType, data: Payload): Message {
  const who = `“${nameOf(data, 'user_id')}”`;
  const budget = `“${nameOf(data, 'budget_name')}”`;
  const isAnswer = type === 'budget.raise_answered';
  return {
    title: isAnswer
      ? `More of ${budget} for ${who}: ${textOf(data, 'status')}`
      : `${who} asks for more of ${budget}`,
    urgency: isAnswer ? 'low' : 'medium',
    facts: factsOf(data),
  };
}

function factsOf(data: Payload): Fact[] {
  const note: Fact[] =
    typeof data.note === 'string' && data.note !== '' ? [['Why', oneLine(data.note, NOTE)]] : [];
  const until: Fact[] =
    typeof data.ends_at === 'string' && data.ends_at !== '' ? [['Until', textOf(data, 'ends_at')]] : [];
  return [
    ['Amount', `${amountOf(data, 'amount')} ${unitOf(textOf(data, 'metric'))}`],
    ...until,
    ...note,
    ['Answer at', textOf(data, 'link')],
  ];
}
