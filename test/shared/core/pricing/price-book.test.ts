import { expect, test } from 'vitest';
import { countedProvider } from '../../../../shared/core/pricing/provider-of.ts';
import { type MatchedCall, openPriceBook } from '../../../../shared/core/pricing/rules/price-book.ts';
import {
  MATCH_FIELDS,
  type PriceRule,
  type RuleMatch,
} from '../../../../shared/core/pricing/rules/price-rule.ts';

const FROM = new Date('2026-10-01');
const NOW = Date.UTC(2026, 10, 24);
const CALL: MatchedCall = { provider: 'openai', model: 'gpt-5' };

function rule(match: Partial<RuleMatch>): PriceRule {
  const all = { provider: null, model: null, service_tier: null, project_id: null };
  return {
    _id: 'prl_1',
    name: 'Rule',
    from: FROM,
    to: null,
    match: { ...all, ...match },
    effect: { free: true },
    replaces_reported: false,
    created_at: FROM,
  };
}

/** The fields of a call: the field of a rule that matches it, a value that the rule takes, and one that it does not. */
const FIELDS: Record<keyof MatchedCall, [keyof RuleMatch, taken: string, other: string | undefined]> = {
  provider: ['provider', 'anthropic', 'openai'],
  price_provider: ['provider', 'azure', undefined],
  model: ['model', 'gpt-5-mini', 'gpt-5'],
  service_tier: ['service_tier', 'batch', undefined],
  project_id: ['project_id', 'checkout', 'search'],
};

test('every field of a rule has a row here', () => {
  const fields = Object.values(FIELDS).map(([field]) => field);
  expect(new Set(fields)).toEqual(new Set(MATCH_FIELDS));
});

test.each(Object.entries(FIELDS))(
  'calls that differ in their %s alone have each its own rules, whichever came first',
  (name, [field, taken, other]) => {
    for (const values of [
      [taken, other, taken],
      [other, taken, other],
    ]) {
      const book = openPriceBook([rule({ [field]: taken })]);
      const found = values.map((value) => book.matching({ ...CALL, [name]: value }, NOW).length);
      expect(found).toEqual(values.map((value) => (value === taken ? 1 : 0)));
    }
  },
);

test.each([
  ['litellm', 'claude-opus-4-8', ['anthropic', 'litellm']],
  ['github', 'gpt-5', ['openai', 'github']],
  ['ollama', 'llama3', ['ollama', 'unknown']],
  ['aws.bedrock', 'claude-opus-4-8', ['aws', 'aws.bedrock']],
])('a call of %s with %s has the rules of every provider that it counts under', (provider, model, all) => {
  const call = { provider, model, price_provider: countedProvider({ provider, model }, NOW) };
  const names = 'anthropic aws aws.bedrock github litellm ollama openai unknown'.split(' ');
  const matched = (name: string) => openPriceBook([rule({ provider: name })]).matching(call, NOW).length > 0;
  expect(names.filter(matched).toSorted()).toEqual(all.toSorted());
});
