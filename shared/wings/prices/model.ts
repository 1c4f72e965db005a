import type { PriceRule } from '../../core/pricing/rules/price-rule.ts';
import { collection } from '../../platform/mongo/collection.ts';
import { mapOf, nullable, object, optional } from '../../platform/mongo/fields.ts';

/** A price rule as it is stored. Calls keep the name of the rule that priced them, so that a deleted rule leaves no row. */
export interface PriceRuleRow extends PriceRule {
  org_id: string;
  updated_at: Date;
}

export const priceRuleRows = collection<PriceRuleRow>('price_rules', {
  about: 'A price that an organization has set for some of its calls.',
  fields: {
    _id: String,
    org_id: String,
    name: String,
    from: Date,
    to: nullable(Date),
    match: object({
      provider: nullable(String),
      model: nullable(String),
      service_tier: nullable(String),
      project_id: nullable(String),
    }),
    effect: object({
      discount_percent: optional(Number),
      usd_per_million: optional(mapOf(Number)),
      per_request_usd: optional(Number),
      tool_uses: optional(mapOf(Number)),
      free: optional(Boolean),
    }),
    replaces_reported: Boolean,
    created_at: Date,
    updated_at: Date,
  },
  indexes: [{ key: { org_id: 1, created_at: 1, _id: 1 } }],
});
