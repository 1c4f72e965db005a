import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { NO_PRICES, openPriceBook, type PriceBook } from './price-book.ts';
import type { PriceRule } from './price-rule.ts';

/** The part of a wing in prices: it gives the rules of an organization, and the core applies them. */
export interface PriceHook {
  /** All rules of an organization, as of the transaction's snapshot. */
  rules(ctx: Context, orgId: string, transaction: ClientSession): Promise<readonly PriceRule[]>;
}

/** The price book of an organization, as of the transaction's snapshot. It reads nothing where the organization has no rule. */
export async function readPriceBook(
  ctx: Context,
  { _id: orgId, price_rules }: { _id: string; price_rules?: number },
  transaction: ClientSession,
): Promise<PriceBook> {
  if (!price_rules) return NO_PRICES;
  const wings = ctx.wings as readonly { prices?: PriceHook }[];
  const hooks = wings.flatMap(({ prices }) => prices ?? []);
  const rules = await Promise.all(hooks.map((hook) => hook.rules(ctx, orgId, transaction)));
  return openPriceBook(rules.flat());
}
