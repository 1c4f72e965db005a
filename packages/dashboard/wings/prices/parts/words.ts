import { exact, money } from '../../../parts/text/format.ts';
import type { PriceRule } from '../queries.ts';

/** A price per million tokens, per call or per thousand uses: $0.2. */
export function rate(usd: number): string {
  return usd.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });
}

/** The calls that a rule prices: claude-* at anthropic, tier batch. Pure. */
export function matchWords({ model, provider, service_tier, project_id }: PriceRule['match']): string {
  const parts = [
    model,
    provider && `at ${provider}`,
    service_tier &&
      (service_tier.toLowerCase() === 'standard' ? 'without a tier' : `in tier ${service_tier}`),
    project_id && `of project ${project_id}`,
  ].filter(Boolean);
  if (parts.length === 0) return 'every call';
  return model === null ? `calls ${parts.join(' ')}` : parts.join(' ');
}

const CLASSES = {
  input: 'in',
  output: 'out',
  cache_read: 'read from cache',
  cache_write: 'written to cache',
  cache_write_1h: 'cached for an hour',
  output_image: 'images out',
  output_audio: 'sound out',
} as const;

/** The effect of a rule: 12.5 % off the list price. Pure. */
export function effectWords(rule: PriceRule): string {
  const words = priceWords(rule);
  return rule.replaces_reported ? `${words}, also in place of a reported cost` : words;
}

function priceWords({
  discount_percent,
  usd_per_million,
  per_request_usd,
  tool_uses = {},
}: PriceRule): string {
  if (discount_percent !== undefined)
    return discount_percent > 0
      ? `${percent(discount_percent)} off the list price`
      : `${percent(-discount_percent)} on top of the list price`;
  if (usd_per_million === undefined) return 'free';
  const classes = Object.entries(CLASSES).flatMap(([name, words]) => {
    const usd = usd_per_million[name as keyof typeof CLASSES];
    return usd === undefined ? [] : [`${rate(usd)} ${words}`];
  });
  const fees = [
    ...(per_request_usd === undefined ? [] : [`${rate(per_request_usd)} a call`]),
    ...Object.entries(tool_uses).map(([tool, usd]) => `${rate(usd)} per thousand uses of ${tool}`),
  ];
  return [`${classes.join(', ')} per million tokens`, ...fees].join('; ');
}

/** The calls that a rule priced in the last 30 days: 118 calls, $10.50 (list $12.00). Pure. */
export function lastDaysWords(last: PriceRule['last_30_days']): string {
  if (last === null) return 'more than a million calls';
  const { signals, cost_usd, list_cost_usd, unlisted_signals, unlisted_cost_usd } = last;
  if (signals === 0) return 'no call';
  const calls = callWords(signals);
  if (unlisted_signals === signals) return `${calls}, ${money(cost_usd)}`;
  const compared = `${calls}, ${money(cost_usd - unlisted_cost_usd)} (list ${money(list_cost_usd)})`;
  if (unlisted_signals === 0) return compared;
  return `${compared}, and ${money(unlisted_cost_usd)} for ${exact(unlisted_signals)} without a list price`;
}

/** 1 call, 118 calls. */
export function callWords(count: number): string {
  return `${exact(count)} ${count === 1 ? 'call' : 'calls'}`;
}

function percent(value: number): string {
  return `${value.toLocaleString('en-US', { maximumFractionDigits: 4 })} %`;
}

const LONGEST_NAME = 200;

/** The name of the rule that gives a model its price: one line that reads in one direction. Pure. */
export function ruleName(model: string): string {
  const line = model.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '');
  return Array.from(`Price of ${line}`).slice(0, LONGEST_NAME).join('');
}
