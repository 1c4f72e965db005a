import type { ClientSession } from 'mongoose';
import { type Context, partsOf } from '../../../platform/context/context.ts';
import { NO_PRICES, openPriceBook, type PriceBook } from './price-book.ts';
import type { PriceRule } from './price-rule.ts';

/** The part of a wing in prices: it gives the rules of an organization, and the core applies them. */
export interface PriceHook {
  rules(ctx: Context, orgId: string, transaction: ClientSession): Promise<readonly PriceRule[]>;
  /** Counts the changes of prices that calls of a time have had after they were recorded: the number grows with each. */
  repriced?(ctx: Context, orgId: string, time: { fromMs: number; toMs: number }): Promise<number>;
}

/** The price book of an organization, as of the transaction's snapshot. It reads nothing where the organization has no rule. */
export async function readPriceBook(
  ctx: Context,
  { _id: orgId, price_rules }: { _id: string; price_rules?: number },
  transaction: ClientSession,
): Promise<PriceBook> {
  if (!price_rules) return NO_PRICES;
  const rules = await Promise.all(hooksOf(ctx).map((hook) => hook.rules(ctx, orgId, transaction)));
  return openPriceBook(rules.flat());
}

/** Counts the changes of prices that calls of a time have had after they were recorded. */
export async function countRepriced(
  ctx: Context,
  orgId: string,
  time: { fromMs: number; toMs: number },
): Promise<number> {
  let count = 0;
  for (const hook of hooksOf(ctx)) count += (await hook.repriced?.(ctx, orgId, time)) ?? 0;
  return count;
}

const hooksOf = (ctx: Context) => partsOf<PriceHook>(ctx, 'prices');
