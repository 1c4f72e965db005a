import { z } from 'zod';
import { text } from '../../platform/basics/text.ts';

/** Fields of a call that its price depends on, and that only some calls have. A call without one takes no room for it. */
export interface PricedFields {
  /** Lower case; absent for the standard one. */
  service_tier?: string | undefined;
  /** Lower case; absent where the place changes no price. */
  region?: string | undefined;
  cache_write_1h_tokens?: number | undefined;
  output_image_tokens?: number | undefined;
  output_audio_tokens?: number | undefined;
  tool_uses?: Record<string, number> | undefined;
}

export const PRICED_FIELDS = [
  'service_tier',
  'region',
  'cache_write_1h_tokens',
  'output_image_tokens',
  'output_audio_tokens',
  'tool_uses',
] as const satisfies readonly (keyof PricedFields)[];

/** Those of the fields that are there. Pure. */
export function pricedFieldsOf(call: PricedFields): {
  [Field in keyof PricedFields]: Exclude<PricedFields[Field], undefined>;
} {
  const found = {};
  for (const field of PRICED_FIELDS)
    if (call[field] !== undefined) Object.assign(found, { [field]: call[field] });
  return found;
}

const STANDARD_TIERS: ReadonlySet<string> = new Set([
  'standard',
  'default',
  'auto',
  'on_demand',
  'on-demand',
]);
const NO_REGIONS: ReadonlySet<string> = new Set(['global', 'not_available']);

export const TIER_LENGTH = 32;
export const REGION_LENGTH = 64;
export const MOST_TOOLS = 8;

const nameBut = (max: number, none: ReadonlySet<string>) =>
  text(max)
    .transform((name) => name.toLowerCase())
    .transform((name) => (none.has(name) ? undefined : name))
    .optional();

const uses = z.int().min(0).max(1_000_000);

/** The fields as they are posted, each with what means none taken out. `tokens` is a count of tokens. */
export function pricedFieldsInput(tokens: z.ZodType<number>) {
  return {
    service_tier: nameBut(TIER_LENGTH, STANDARD_TIERS).describe(
      'The tier that it was served in, such as fast, priority, flex or batch; standard, default, auto and on_demand mean none',
    ),
    region: nameBut(REGION_LENGTH, NO_REGIONS).describe(
      'The place that it was served in, where the vendor charges for it, such as us; global and not_available mean none',
    ),
    cache_write_1h_tokens: tokens
      .optional()
      .describe('The part of cache_write_tokens that is cached for an hour'),
    output_image_tokens: tokens.optional().describe('The part of tokens_out that is images'),
    output_audio_tokens: tokens.optional().describe('The part of tokens_out that is sound'),
    tool_uses: z
      .record(
        z.string().regex(/^[A-Za-z][\w-]{0,63}$/, 'must be the name of a tool, such as web_search'),
        uses,
      )
      .refine((tools) => Object.keys(tools).length <= MOST_TOOLS, `must be at most ${MOST_TOOLS} tools`)
      .transform(usedOnly)
      .optional()
      .describe('Tools that the vendor ran, with how often, such as { "web_search": 5 }'),
  };
}

function usedOnly(tools: Record<string, number>): Record<string, number> | undefined {
  const used = Object.entries(tools).filter(([, count]) => count > 0);
  return used.length === 0 ? undefined : Object.fromEntries(used);
}
