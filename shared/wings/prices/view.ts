import { z } from 'zod';
import { isoTime } from '../../platform/basics/clock.ts';
import type { Context } from '../../platform/context/context.ts';
import { lastDaysView, sumLastDays } from './last-days.ts';
import type { PriceRuleRow } from './model.ts';

export const priceRuleView = z.strictObject({
  id: z.string(),
  name: z.string(),
  from: z.string().describe('It prices calls at this time and later'),
  to: z.string().nullable().describe('It prices calls before this time; null: for ever'),
  match: z.strictObject({
    provider: z.string().nullable(),
    model: z.string().nullable(),
    service_tier: z.string().nullable(),
    project_id: z.string().nullable(),
  }),
  discount_percent: z.number().optional(),
  usd_per_million: z
    .strictObject({
      input: z.number(),
      output: z.number(),
      cache_read: z.number().optional(),
      cache_write: z.number().optional(),
      cache_write_1h: z.number().optional(),
      output_image: z.number().optional(),
      output_audio: z.number().optional(),
    })
    .optional(),
  per_request_usd: z.number().optional(),
  tool_uses: z.record(z.string(), z.number()).optional(),
  free: z.literal(true).optional(),
  replaces_reported: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const countedRuleView = priceRuleView.extend({ last_30_days: lastDaysView });

export async function viewCountedRule(
  ctx: Context,
  rule: PriceRuleRow,
): Promise<z.input<typeof countedRuleView>> {
  return { ...viewPriceRule(rule), last_30_days: await sumLastDays(ctx, rule) };
}

/** The same of several, one after the other: the sums of one may read a million calls. */
export async function viewCountedRules(ctx: Context, rules: readonly PriceRuleRow[]) {
  const views: z.input<typeof countedRuleView>[] = [];
  for (const rule of rules) views.push(await viewCountedRule(ctx, rule));
  return views;
}

export function viewPriceRule(rule: PriceRuleRow): z.input<typeof priceRuleView> {
  const { _id, name, from, to, match, effect, replaces_reported, created_at, updated_at } = rule;
  return {
    id: _id,
    name,
    from: isoTime(from.getTime()),
    to: to && isoTime(to.getTime()),
    match,
    ...effect,
    replaces_reported,
    created_at: isoTime(created_at.getTime()),
    updated_at: isoTime(updated_at.getTime()),
  };
}
