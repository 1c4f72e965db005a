import { amountOf, nameOf, type Payload, textOf } from './describe.ts';
import type { Fact, Message } from './message.ts';
import { oneLine, readable } from './text.ts';

type BudgetType = 'budget.warning' | 'budget.exceeded' | 'budget.threshold' | 'budget.forecast';

const URGENCIES = {
  'budget.warning': 'medium',
  'budget.exceeded': 'high',
  'budget.threshold': 'medium',
  'budget.forecast': 'medium',
} as const;

/** A level that a budget has reached, or will reach, in words. `budget.warning` names neither metric nor window. */
export function describeBudget(type: BudgetType, data: Payload): Message {
  const title = `Budget “${nameOf(data, 'budget_name')}” ${verdictOf(type, data)}`;
  return { title, urgency: URGENCIES[type], facts: factsOf(type, data) };
}

function verdictOf(type: BudgetType, data: Payload): string {
  switch (type) {
    case 'budget.exceeded':
      return 'is exceeded';
    case 'budget.warning':
      return 'has reached 80 %';
    case 'budget.threshold':
      return `has reached ${amountOf(data, 'alert_at')} %`;
    case 'budget.forecast':
      return 'will be exceeded at this pace';
  }
}

function factsOf(type: BudgetType, data: Payload): Fact[] {
  const unit = data.metric === undefined ? '' : ` ${unitOf(textOf(data, 'metric'))}`;
  const used = `${amountOf(data, 'current')} of ${amountOf(data, 'threshold')}${unit}`;
  const share = (Number(data.current) / Number(data.threshold)) * 100;
  const forecast: Fact[] = [['Forecast', `${amountOf(data, 'forecast')}${unit}`]];
  const window: Fact[] = [['Window', textOf(data, 'window')]];
  return [
    ['Used', Number.isFinite(share) ? `${used} (${readable(Math.round(share * 10) / 10)} %)` : used],
    ...(type === 'budget.forecast' ? forecast : []),
    ['Scope', oneLine(`${textOf(data, 'scope')} ${textOf(data, 'scope_id')}`, 200)],
    ...(data.window === undefined ? [] : window),
  ];
}

export function unitOf(metric: string): string {
  return metric === 'cost_usd' ? 'USD' : metric.replaceAll('_', ' ');
}
