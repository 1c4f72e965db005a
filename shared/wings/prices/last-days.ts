import { z } from 'zod';
import { signalRows } from '../../core/calls/signals/model.ts';
import { usd4 } from '../../core/pricing/money.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import type { Context } from '../../platform/context/context.ts';
import type { PriceRuleRow } from './model.ts';

const DAYS = 30;
/** Calls that are summed for one rule: an index holds them in the order of their time, but each is read. */
const MOST_SUMMED = 1_000_000;

/** The calls that a rule has priced in the last 30 days, with what they cost and what they would cost by the list. */
export const lastDaysView = z
  .strictObject({
    signals: z.int(),
    cost_usd: z.number().describe('The cost of these calls by the rule'),
    list_cost_usd: z.number().describe('The list price of those that have one'),
    unlisted_signals: z.int().describe('Those that the list has no price for'),
    unlisted_cost_usd: z
      .number()
      .describe('Their part of cost_usd; the rest of it compares with list_cost_usd'),
  })
  .nullable()
  .describe('The calls of the last 30 days that have their price by this rule; null: more than a million');
export type LastDays = z.output<typeof lastDaysView>;

interface Sums {
  signals: number;
  cost: bigint;
  list: bigint;
  unlisted: number;
  unlisted_cost: bigint;
}

const IS_UNLISTED = { $eq: [{ $ifNull: ['$list_nusd', null] }, null] };

/** Sums the calls of the last 30 days that a rule has priced. Voided calls are left out. Null for more than `most`. */
export async function sumLastDays(
  ctx: Context,
  { _id, org_id }: Pick<PriceRuleRow, '_id' | 'org_id'>,
  most = MOST_SUMMED,
): Promise<LastDays> {
  const since = dateAt(ctx.clock.now() - DAYS * DAY_MS);
  const stages = [
    { $match: { 'price_rule.id': _id, ts: { $gte: since } } },
    { $match: { org_id, voided: { $exists: false } } },
    { $limit: most + 1 },
    {
      $group: {
        _id: null,
        signals: { $sum: 1 },
        cost: { $sum: '$cost_nusd' },
        list: { $sum: '$list_nusd' },
        unlisted: { $sum: { $cond: [IS_UNLISTED, 1, 0] } },
        unlisted_cost: { $sum: { $cond: [IS_UNLISTED, '$cost_nusd', 0] } },
      },
    },
  ];
  const [sums] = await signalRows(ctx).aggregate<Sums>(stages, { useBigInt64: true }).toArray();
  if (sums && Number(sums.signals) > most) return null;
  return {
    signals: Number(sums?.signals ?? 0),
    cost_usd: usd4(BigInt(sums?.cost ?? 0)),
    list_cost_usd: usd4(BigInt(sums?.list ?? 0)),
    unlisted_signals: Number(sums?.unlisted ?? 0),
    unlisted_cost_usd: usd4(BigInt(sums?.unlisted_cost ?? 0)),
  };
}
