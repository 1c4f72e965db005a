import { z } from 'zod';
import { usd9 } from '../../../core/pricing/money.ts';
import { isoTime } from '../../../platform/basics/clock.ts';
import { text } from '../../../platform/basics/text.ts';
import { moment } from '../input.ts';
import { REPRICING_STATES, type Repricing, type StoredMeasures } from './model.ts';

/** The calls that are to be priced anew. */
export const repricingInput = z
  .strictObject({
    from: moment.describe('Calls at this time and later; at most 35 days back'),
    to: moment.describe('Calls before this time'),
    model: text(256)
      .nullish()
      .describe('Only calls of this model, as a price rule matches it; `unknown` means calls that name none'),
    provider: text(128).nullish().describe('Only calls of this provider, as a price rule matches it'),
    only_unpriced: z.boolean().default(false).describe('Only calls without a price'),
  })
  .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be later than from' });
export type RepricingInput = z.output<typeof repricingInput>;

const count = z.int().min(0);
const money = (about: string) =>
  z.string().meta({ description: `${about}, in US dollars with nine decimals`, examples: ['1.250000000'] });

const measures = {
  signals: count.describe('Calls that were looked at'),
  changed: count.describe('Those of them whose price changes'),
  cost_before: money('The cost as it is recorded'),
  cost_after: money('The cost as it becomes'),
  unpriced_before: count.describe('Calls without a price'),
  unpriced_after: count.describe('Calls that are left without one'),
};

/** A repricing as the API shows it. */
export const repricingView = z.strictObject({
  id: z.string(),
  state: z.enum(REPRICING_STATES),
  from: z.string(),
  to: z.string(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  only_unpriced: z.boolean(),
  ...measures,
  days: z
    .array(z.strictObject({ day: z.string().describe('A day of the organization'), ...measures }))
    .describe('The same by day; they sum to the whole'),
  models: z.array(z.strictObject({ model: z.string(), ...measures })).meta({
    description: 'The same by model; they sum to the whole',
    examples: [[]],
  }),
  applied: count.describe('Calls that have their new price by now'),
  skipped: count.describe('Calls that were voided after the repricing had begun, and so have none'),
  created_at: z.string(),
  applied_at: z.string().nullable().describe('When the last call had its new price'),
});

export function viewRepricing(row: Repricing): z.input<typeof repricingView> {
  const { _id, state, from, to, model, provider, only_unpriced, applied, skipped } = row;
  return {
    id: _id,
    state,
    from: isoTime(from.getTime()),
    to: isoTime(to.getTime()),
    model,
    provider,
    only_unpriced,
    ...viewMeasures(row),
    days: row.days.map((own) => ({ day: own.day, ...viewMeasures(own) })),
    models: row.models.map((own) => ({ model: own.model, ...viewMeasures(own) })),
    applied,
    skipped,
    created_at: isoTime(row.created_at.getTime()),
    applied_at: row.applied_at && isoTime(row.applied_at.getTime()),
  };
}

function viewMeasures(row: StoredMeasures) {
  const { signals, changed, cost_before, cost_after, unpriced_before, unpriced_after } = row;
  return {
    signals,
    changed,
    cost_before: usd9(BigInt(cost_before)),
    cost_after: usd9(BigInt(cost_after)),
    unpriced_before,
    unpriced_after,
  };
}
