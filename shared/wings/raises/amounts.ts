import type { BudgetMetric } from '../../core/limits/budgets/rules/model.ts';
import { dollars, nusdFromUsd } from '../../core/pricing/money.ts';
import { type DomainError, invalid } from '../../platform/basics/errors.ts';

/** An amount in the unit of a budget's limit. Throws `invalid_request` for one that no budget could hold. Pure. */
export function limitFrom(metric: BudgetMetric, amount: number): number {
  const limit = metric === 'cost_usd' ? nusdFromUsd(amount) : amount;
  if (limit === null || limit > Number.MAX_SAFE_INTEGER || limit < (metric === 'cost_usd' ? 1 : 1e-9))
    throw refusedAmount('is out of the range of a threshold');
  return limit;
}

export function refusedAmount(detail: string): DomainError {
  return invalid(`The amount ${detail}.`, '/amount', detail);
}

/** An amount as the API shows it, exactly as it was asked for. Pure. */
export function amountFrom(metric: BudgetMetric, limit: number): number {
  return metric === 'cost_usd' ? limit / 1e9 : limit;
}

const DOLLARS = dollars(9);
const COUNT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });

/** An amount in words: $20.00, 5,000 tokens in. Pure. */
export function amountWords(metric: BudgetMetric, limit: number): string {
  const amount = amountFrom(metric, limit);
  if (metric === 'cost_usd') return DOLLARS.format(amount);
  return `${COUNT.format(amount)} ${metric.replaceAll('_', ' ')}`;
}
