import { waitForUpdate } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { callOf } from '../../../../shared/core/calls/sessions/split-signal.ts';
import { priceCall } from '../../../../shared/core/pricing/price.ts';
import { findListing } from '../../../../shared/core/pricing/rates.ts';
import type { Rate } from '../../../../shared/core/pricing/read-rates.ts';
import { chargesOf } from '../../../../shared/wings/exports/focus/charges.ts';
import { focusColumns } from '../../../../shared/wings/exports/focus/columns.ts';
import { sellerId, sellerOf } from '../../../../shared/wings/exports/focus/providers.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

const signal = {
  type: 'call' as const,
  ts: new Date(NOW),
  user_id: 'ada',
  project_id: 'alpha',
  adapter: 'codex',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  tokens_in: 250_000,
  tokens_out: 10,
  cache_read_tokens: 200_000,
  cache_write_tokens: 20_000,
  cost_nusd: 0,
  cost_source: 'computed' as const,
};

describe('the unit prices of a FOCUS file', async () => {
  const providers = (await waitForUpdate()) ?? [];

  it('hold every price of the list but those without an end, whose calls have one row of their cost', () => {
    expect(providers.length).toBeGreaterThan(10);
    const used = { tokens_in: 3_000, tokens_out: 1_000, cache_read_tokens: 1_000, cache_write_tokens: 1_000 };
    let [exact, whole] = [0, 0];
    for (const { id: provider, models } of providers)
      for (const { id: model } of models) {
        const rates = findListing(provider, model, NOW)?.rates;
        const call = { ...signal, ...used, provider, model };
        const { costNusd } = priceCall(callOf(call));
        if (!rates || costNusd === null) continue;
        const charges = chargesOf({ ...call, cost_nusd: costNusd });
        expect(charges.reduce((sum, charge) => sum + charge.costNusd, 0)).toBe(costNusd);
        const prices = [rates.input, rates.output, rates.cacheRead, rates.cacheWrite].flatMap(pricesOf);
        const isExact =
          prices.every((atto) => atto % 1_000n === 0n) && rates.attoPerRequest % 1_000_000n === 0n;
        if (isExact) expect(charges.map(({ meter }) => meter)).not.toContain('recorded');
        if (isExact) exact += 1;
        else whole += 1;
      }
    expect(exact).toBeGreaterThan(100 * whole);
  });
});

function pricesOf(rate: Rate | undefined): bigint[] {
  return rate ? [rate.base, ...rate.tiers.map((tier) => tier.rate)] : [];
}

type Charges = ReturnType<typeof chargesOf>;
const shown = (charges: Charges) =>
  charges.map(({ meter, consumed, costNusd, unitPrice }) => [meter, consumed, costNusd, unitPrice]);
const RULE = { cost_source: 'rule' as const, price_rule: { id: 'prl_1', name: 'Contract' } };

describe('the charges of a call', () => {
  it('are one for each class of tokens, with the price of its context', () => {
    // 30,000 × 6 + 200,000 × 0.6 + 20,000 × 7.5 + 10 × 22.5 dollars per million.
    const charges = chargesOf({ ...signal, cost_nusd: 450_225_000 });
    expect(shown(charges)).toEqual([
      ['input', 30_000, 180_000_000, 6_000_000_000n],
      ['cache_read', 200_000, 120_000_000, 600_000_000n],
      ['cache_write', 20_000, 150_000_000, 7_500_000_000n],
      ['output', 10, 225_000, 22_500_000_000n],
    ]);
    expect(charges[0]?.skuPriceId).toMatch(
      /^anthropic\/claude-sonnet-4-5\/input\/standard\/200k\+@(listed|\d{4}-\d\d-\d\d)$/,
    );
  });

  it('are one of the whole cost, where a tool reported it or the list no longer gives it', () => {
    const skuPriceId = 'anthropic/claude-sonnet-4-5/reported';
    expect(chargesOf({ ...signal, cost_nusd: 5, cost_source: 'reported' })).toMatchObject([
      { meter: 'reported', skuPriceId, costNusd: 5 },
    ]);
    expect(chargesOf({ ...signal, cost_nusd: 5 })).toMatchObject([
      { meter: 'recorded', costNusd: 5, consumed: 250_010 },
    ]);
  });

  it.each([
    { cache_write_1h_tokens: 1 },
    { output_image_tokens: 1 },
    { output_audio_tokens: 1 },
    { tool_uses: { web_search: 1 } },
  ])('are one of the whole cost of a call with %j, which no row of its own could have', (fields) => {
    const [zero] = Object.keys(fields).map((name) => (name === 'tool_uses' ? {} : { [name]: 0 }));
    const costNusd = 450_225_000;
    expect(chargesOf({ ...signal, ...zero, cost_nusd: costNusd })).toHaveLength(4);
    const charges = chargesOf({ ...signal, ...fields, cost_nusd: costNusd });
    expect(charges).toMatchObject([{ meter: 'recorded', costNusd, consumed: 250_010 }]);
  });

  it('of a price rule keep the list’s price: the rule changes the cost of each class alike', () => {
    const charges = chargesOf({ ...signal, ...RULE, cost_nusd: 225_112_500 });
    expect(shown(charges)).toEqual([
      ['input', 30_000, 90_000_000, 6_000_000_000n],
      ['cache_read', 200_000, 60_000_000, 600_000_000n],
      ['cache_write', 20_000, 75_000_000, 7_500_000_000n],
      ['output', 10, 112_500, 22_500_000_000n],
    ]);
    for (const { skuPriceId } of charges) expect(skuPriceId).toMatch(/@[^/]+\/rule\/prl_1$/);
    const own = { ...signal, ...RULE, provider: 'vllm', model: 'llama-4-70b', cost_nusd: 7 };
    expect(chargesOf(own)).toMatchObject([{ meter: 'recorded', costNusd: 7 }]);
  });

  it('of another tier are told apart from those of the standard one', () => {
    const batch = { ...signal, service_tier: 'batch', cost_nusd: 225_112_500 };
    const [input] = chargesOf(batch);
    expect(input).toMatchObject({ costNusd: 90_000_000, unitPrice: 3_000_000_000n });
    expect(input?.skuPriceId).toContain('/input/batch/200k+@');
  });

  it('are none without a price, and none of an intervention or an empty call that cost nothing', () => {
    const empty = { tokens_in: 0, tokens_out: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
    expect(chargesOf({ ...signal, cost_nusd: null as never, cost_source: 'unknown' })).toEqual([]);
    expect(chargesOf({ ...signal, type: 'intervention', cost_nusd: 0 })).toEqual([]);
    expect(chargesOf({ ...signal, ...empty, cost_nusd: 0 })).toEqual([]);
  });
});

const [CLAUDE, AWS] = ['claude-sonnet-4-5', 'Amazon Web Services'];
describe('the seller of a call', () => {
  it.each([
    ['anthropic.messages', 'own', CLAUDE, 'Anthropic', 'Anthropic', 'Claude API'],
    ['bedrock', 'own', `anthropic.${CLAUDE}`, AWS, 'Anthropic', 'Amazon Bedrock'],
    ['azure_openai', 'own', 'gpt-5', 'Microsoft', 'OpenAI', 'Azure AI Foundry'],
    ['github-copilot', 'own', CLAUDE, 'GitHub', 'Anthropic', 'GitHub Copilot'],
    ['litellm', 'own', 'gpt-5', 'OpenAI', 'OpenAI', 'OpenAI API'],
    [null, 'claude-code', 'unheard-of', 'Anthropic', 'Anthropic', 'Claude API'],
    ['unknown', 'own', 'unheard-of', 'own', 'own', 'own API'],
    ['my-vllm', 'own', 'llama-3', 'my-vllm', 'Meta', 'my-vllm API'],
  ])('by %s and %s, %s: %s', (provider, adapter, model, ProviderName, PublisherName, ServiceName) => {
    const listed = findListing(provider ?? undefined, model, NOW)?.provider ?? null;
    const seller = sellerOf(sellerId({ provider, adapter }, listed), model);
    expect(seller).toEqual({ ProviderName, PublisherName, ServiceName });
  });
});

describe('the columns', () => {
  it('name the tier of a listed price, which a whole cost does not have, whatever its model is called', () => {
    const details = focusColumns('1.2').find(({ name }) => name === 'SkuPriceDetails');
    const tierOf = (fields: object) => {
      const [row] = chargesOf({ ...signal, cost_nusd: 225_112_500, ...fields });
      return JSON.parse(String(details?.cell({ row } as never))).x_ServiceTier;
    };
    const tiers = [{}, { service_tier: 'batch' }, { service_tier: 'batch', ...RULE }].map(tierOf);
    expect(tiers).toEqual(['standard', 'batch', 'batch']);
    const own = { provider: 'vertex', model: 'publishers/acme/models/acme-1@20260501' };
    const whole = [{ cost_source: 'reported' }, RULE].map((cost) => tierOf({ ...own, ...cost }));
    expect(whole).toEqual(['standard', 'standard']);
  });

  it('are the same in 1.3 but for who sells and who hosts', () => {
    const names = (version: '1.2' | '1.3') => focusColumns(version).map(({ name }) => name);
    const added = names('1.3').filter((name) => !names('1.2').includes(name));
    expect(added).toEqual(['ServiceProviderName', 'HostProviderName']);
    expect(names('1.2').filter((name) => !names('1.3').includes(name))).toEqual(['ProviderName']);
  });
});
