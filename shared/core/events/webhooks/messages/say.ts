import { dollars } from '../../../pricing/money.ts';
import { readable } from './text.ts';

const DOLLARS = dollars(2);
/** Below a dollar cents say too little. */
const SMALL_DOLLARS = dollars(4);
const TINY_DOLLARS = dollars(9);

/** Names of what is counted, where people call it otherwise than the API. */
const UNITS: Readonly<Record<string, string>> = {
  signals: 'calls',
  tokens_in: 'input tokens',
  tokens_out: 'output tokens',
};

/** An amount of a metric, in words: "$64.82", "999 tokens". */
export function sayAmount(metric: string | undefined, amount: number): string {
  if (metric === 'cost_usd') return sayMoney(amount);
  return [sayCount(amount), unitOf(metric)].filter(Boolean).join(' ');
}

/** An amount of a metric beside the whole: "$64.82 of $10.00", "412 of 500 tokens". */
export function sayPart(metric: string | undefined, amount: number, whole: number): string {
  const part = metric === 'cost_usd' ? sayMoney(amount) : sayCount(amount);
  return `${part} of ${sayAmount(metric, whole)}`;
}

/** A count, or the average of some: nobody wants the fraction of a thousand tokens. */
export function sayCount(count: number): string {
  return readable(Math.abs(count) < 100 ? count : Math.round(count));
}

/** A share in words: "64.8 %", "more than 999 %". */
export function sayShare(share: number): string {
  const percent = share * 100;
  return percent > 999 ? 'more than 999 %' : `${readable(Math.round(percent * 10) / 10)} %`;
}

export function sayMoney(usd: number): string {
  const size = Math.abs(usd);
  if (size >= 1 || size === 0) return DOLLARS.format(usd);
  return (size < 0.01 ? TINY_DOLLARS : SMALL_DOLLARS).format(usd);
}

function unitOf(metric: string | undefined): string {
  return metric === undefined ? '' : (UNITS[metric] ?? metric.replaceAll('_', ' '));
}

const PERIODS: Readonly<Record<string, string>> = {
  hourly: 'this hour',
  daily: 'today',
  weekly: 'this week',
  monthly: 'this month',
  quarterly: 'this quarter',
  total: 'in total',
};

/** The open window of a budget, in words: "this month". */
export function sayPeriod(window: string | undefined, rollingDays?: number | null): string {
  if (window === 'rolling') return rollingDays ? `in the last ${rollingDays} days` : '';
  return PERIODS[window ?? ''] ?? '';
}
