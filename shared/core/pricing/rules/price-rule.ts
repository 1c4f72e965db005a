export const MATCH_FIELDS = ['provider', 'model', 'service_tier', 'project_id'] as const;

/** The calls that a rule prices. A field that is null takes every call. */
export type RuleMatch = Record<(typeof MATCH_FIELDS)[number], string | null>;

/** Prices of one's own in US dollars. A class that is missing costs what holds it. */
export interface OwnPrices {
  /** For a million tokens. */
  usd_per_million: {
    input: number;
    output: number;
    cache_read?: number | undefined;
    cache_write?: number | undefined;
    cache_write_1h?: number | undefined;
    output_image?: number | undefined;
    output_audio?: number | undefined;
  };
  per_request_usd?: number | undefined;
  /** For a thousand uses, by the name of the tool. */
  tool_uses?: Record<string, number> | undefined;
}

/** The price that a rule gives: percent off the list price, prices of one's own, or nothing at all. */
export type RuleEffect = { discount_percent: number } | OwnPrices | { free: true };

/** A price that an organization has set for some of its calls. */
export interface PriceRule {
  _id: string;
  name: string;
  /** It prices calls at this time and later, */
  from: Date;
  /** and before this one; null: for ever. */
  to: Date | null;
  match: RuleMatch;
  effect: RuleEffect;
  /** True: also calls whose cost was reported. */
  replaces_reported: boolean;
  created_at: Date;
}
