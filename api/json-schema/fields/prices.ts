import type { Fields } from './field.ts';

export const prices: Fields = {
  match: ['The calls that it prices: a field that is null takes all, and `*` is any characters'],
  discount_percent: ['Percent off the list price with its fees; below 0 a surcharge', 12.5],
  usd_per_million: ['US dollars for a million tokens'],
  cache_write_1h: ['Input tokens that are cached for an hour, in US dollars for a million', 6],
  output_image: ['Images in the output, in US dollars for a million tokens', 30],
  output_audio: ['Sound in the output, in US dollars for a million tokens', 64],
  per_request_usd: ['US dollars for a request', 0.01],
  tool_uses: ['US dollars for a thousand uses, by tool', { web_search: 10 }],
  free: ['The calls cost nothing', true],
  replaces_reported: ['Whether it prices calls whose cost was reported', false],
  last_30_days: ['The calls of the last 30 days that have their price by this rule'],
  list_cost_usd: ['The list price of those that have one, in US dollars', 1.5],
  unlisted_signals: ['Those that the list has no price for', 12],
  unlisted_cost_usd: ['Their part of the cost, in US dollars', 0.34],
  price_rule: ['The price rule that gave a call its cost'],
  rule: ['The price rule that made the price; null: none'],
};
