import { z } from 'zod';
import { readOrganization } from '../../core/accounts/organizations/read-organization.ts';
import { usd9 } from '../../core/pricing/money.ts';
import { CALL_PARTS, type PricedCall } from '../../core/pricing/price.ts';
import { pricedFieldsInput, pricedFieldsOf } from '../../core/pricing/priced-fields.ts';
import { countedProvider } from '../../core/pricing/provider-of.ts';
import { readPriceBook } from '../../core/pricing/rules/hook.ts';
import { priceWithRules } from '../../core/pricing/rules/price-by-rules.ts';
import { type SplitCost, splitCall, splitInProportion } from '../../core/pricing/split-call.ts';
import { instant, text } from '../../platform/basics/text.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';

const tokens = z.int().min(0).max(1_000_000_000);

/** The fields of a signal that decide its price. */
export const quoteInput = z.strictObject({
  ts: instant.optional().describe('When it happened; left out: now'),
  model: text(256).optional(),
  provider: text(128).optional(),
  project_id: text(256).optional(),
  tokens_in: tokens.nullish().describe('Input tokens, cached ones included; null: nobody knows how many'),
  tokens_out: tokens.nullish(),
  cache_read_tokens: tokens.optional(),
  cache_write_tokens: tokens.optional(),
  ...pricedFieldsInput(tokens),
  cost_usd: z.number().min(0).max(10_000).optional().describe('As the adapter reports it'),
});
export type QuoteInput = z.output<typeof quoteInput>;

const money = z.string().nullable().describe('US dollars with nine decimals');

/** The price that a call would have, and where it comes from. */
export const quoteView = z.strictObject({
  cost: money,
  cost_usd: z.number().nullable().describe('In US dollars; null when no price is known'),
  cost_source: z.enum(['reported', 'computed', 'unknown', 'rule']),
  rule: z
    .strictObject({ id: z.string(), name: z.string() })
    .nullable()
    .describe('The price rule that made it; null: none'),
  parts: z
    .strictObject({
      input: z.string().describe('Input tokens that came from no cache'),
      cache_read: z.string().describe('Input tokens that were read from a cache'),
      cache_write: z.string().describe('Input tokens that were written to a cache'),
      output: z.string().describe('Output tokens'),
      request: z
        .string()
        .meta({ description: 'Fees per request and per use of a tool', examples: ['0.010000000'] }),
      unsplit: z.string().describe('A cost that no price splits'),
    })
    .nullable()
    .describe('By part of the call, in US dollars with nine decimals; null when no price is known'),
});

/** Prices a call as if it were recorded now, by the rules of the organization. It writes nothing. */
export async function quotePrice(
  ctx: Context,
  orgId: string,
  input: QuoteInput,
): Promise<z.input<typeof quoteView>> {
  const book = await inTransaction(ctx.db, async (transaction) =>
    readPriceBook(ctx, await readOrganization(ctx, orgId, transaction), transaction),
  );
  const call = callOf(input, ctx.clock.now());
  const { model, provider, project_id } = input;
  const price_provider = countedProvider({ model, provider }, Number(call.at));
  const price = priceWithRules({ ...call, price_provider, project_id }, book);
  const { costNusd, source } = price;
  const rule = 'rule' in price ? price.rule : null;
  if (costNusd === null) return { cost: null, cost_usd: null, cost_source: source, rule, parts: null };
  const split =
    'parts' in price ? splitInProportion(price.parts, costNusd) : splitCall(call, { costNusd, source });
  return {
    cost: usd9(BigInt(costNusd)),
    cost_usd: costNusd / 1e9,
    cost_source: source,
    rule,
    parts: partsOf(split, costNusd),
  };
}

function callOf(input: QuoteInput, nowMs: number): PricedCall {
  const { tokens_in, tokens_out, cache_read_tokens = 0, cache_write_tokens = 0, cost_usd } = input;
  return {
    at: input.ts ?? nowMs,
    model: input.model,
    provider: input.provider,
    tokens_in: tokens_in ?? 0,
    tokens_out: tokens_out ?? 0,
    cache_read_tokens,
    cache_write_tokens,
    ...pricedFieldsOf(input),
    reportedUsd: cost_usd,
    isUncounted: tokens_in === null || tokens_out === null,
  };
}

function partsOf(split: SplitCost | null, costNusd: number) {
  const nusd = (part: (typeof CALL_PARTS)[number]) => usd9(BigInt(split?.[part] ?? 0));
  const { input, cache_read, cache_write, output, request } = Object.fromEntries(
    CALL_PARTS.map((part) => [part, nusd(part)]),
  ) as Record<(typeof CALL_PARTS)[number], string>;
  const unsplit = usd9(split ? 0n : BigInt(costNusd));
  return { input, cache_read, cache_write, output, request, unsplit };
}
