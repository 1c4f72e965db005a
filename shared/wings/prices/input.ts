import { z } from 'zod';
import type { RuleEffect } from '../../core/pricing/rules/price-rule.ts';
import { instant, nameText, text } from '../../platform/basics/text.ts';

/** A number with at most so many decimals, as its author wrote it. */
const decimals = (most: number) => (value: number) =>
  /^-?\d+(?:\.(\d+))?(?:e-(\d+))?$/.test(String(value)) && countDecimals(value) <= most;

function countDecimals(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(value)) ?? [];
  return fraction.length + Number(exponent);
}

const PRICE_MAX = 1_000_000;
const usd = z
  .number()
  .min(0)
  .max(PRICE_MAX)
  .refine(decimals(6), 'must have at most 6 decimals')
  // -0 becomes 0.
  .transform((value) => value + 0);

export const moment = z
  .union([instant, z.iso.date().transform((day) => Date.parse(day))], {
    error: () => 'must be an ISO 8601 time with Z or an offset, or a date, which is its UTC midnight',
  })
  .meta({
    documentedAs: {
      type: 'string',
      pattern: String.raw`^\d{4}-\d\d-\d\d(?:T.+)?$`,
      examples: ['2026-11-01', '2026-11-01T09:30:00Z'],
    },
  });

const matchInput = z.strictObject({
  provider: text(128).nullish().describe('The provider that the call names or counts under'),
  model: text(256).nullish().describe('The model, with or without what gateways put before it'),
  service_tier: text(32).nullish().describe('The tier; `standard` means calls without one'),
  project_id: text(256).nullish(),
});

const ownPrices = z.strictObject({
  input: usd.describe('Input tokens that came from no cache'),
  output: usd.describe('Output tokens'),
  cache_read: usd.optional().describe('Input tokens that were read from a cache; left out: as `input`'),
  cache_write: usd.optional().describe('Input tokens that were written to a cache; left out: as `input`'),
  cache_write_1h: usd.optional().describe('Those that are cached for an hour; left out: as `cache_write`'),
  output_image: usd.optional().describe('Images in the output; left out: as `output`'),
  output_audio: usd.optional().describe('Sound in the output; left out: as `output`'),
});

const TOOL = /^[A-Za-z][\w-]{0,63}$/;

const discount = z
  .number()
  .min(-1_000)
  .max(100)
  .refine((percent) => percent !== 0, 'must not be 0')
  .refine(decimals(4), 'must have at most 4 decimals');

export const priceRuleInput = z
  .strictObject({
    name: nameText(200).describe('The name that its calls show'),
    from: moment.describe('It prices calls at this time and later'),
    to: moment.nullish().describe('It prices calls before this time; null: for ever'),
    match: matchInput
      .default({})
      .describe(
        'The calls that it prices: a field that is null or left out takes all. `*` is any characters',
      ),
    discount_percent: discount
      .optional()
      .describe('Percent off the list price with its fees, where there is one; below 0 a surcharge'),
    usd_per_million: ownPrices.optional().describe('US dollars for a million tokens'),
    per_request_usd: usd.optional().describe('US dollars for a request; beside `usd_per_million`'),
    tool_uses: z
      .record(z.string().regex(TOOL, 'must be the name of a tool, such as web_search'), usd)
      .refine((tools) => Object.keys(tools).length <= 32, 'must be at most 32 tools')
      .optional()
      .describe('US dollars for a thousand uses, by tool; beside `usd_per_million`'),
    free: z.literal(true).optional().describe('The calls cost nothing'),
    replaces_reported: z.boolean().default(false).describe('Also for calls whose cost was reported'),
  })
  .superRefine((rule, ctx) => {
    const effects = [rule.discount_percent, rule.usd_per_million, rule.free].filter(
      (one) => one !== undefined,
    );
    if (effects.length !== 1)
      ctx.addIssue({
        code: 'custom',
        path: ['discount_percent'],
        message: 'exactly one of discount_percent, usd_per_million and free is needed',
      });
    for (const field of ['per_request_usd', 'tool_uses'] as const)
      if (rule[field] !== undefined && rule.usd_per_million === undefined)
        ctx.addIssue({ code: 'custom', path: [field], message: 'belongs beside usd_per_million' });
    if (rule.to != null && rule.to <= rule.from)
      ctx.addIssue({ code: 'custom', path: ['to'], message: 'must be later than from' });
  });
export type PriceRuleInput = z.output<typeof priceRuleInput>;

export const priceRuleChange = z
  .strictObject({
    name: nameText(200).optional(),
    to: moment.nullable().optional().describe('When it ends; null: never'),
  })
  .refine((change) => Object.keys(change).length > 0, 'must have name or to');
export type PriceRuleChange = z.output<typeof priceRuleChange>;

export function effectOf(input: PriceRuleInput): RuleEffect {
  const { discount_percent, usd_per_million, per_request_usd, tool_uses } = input;
  if (discount_percent !== undefined) return { discount_percent };
  if (usd_per_million === undefined) return { free: true };
  return {
    usd_per_million,
    ...(per_request_usd === undefined ? {} : { per_request_usd }),
    ...(tool_uses === undefined ? {} : { tool_uses }),
  };
}
