import { type ModelInfo, type ModelPrice, waitForUpdate } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { gatewayNamed } from '../../../../shared/core/pricing/gateways.ts';
import { type PricedCall, priceCall } from '../../../../shared/core/pricing/price.ts';
import { KEY_DECISIONS, readRates } from '../../../../shared/core/pricing/read-rates.ts';
import { FACTORS, FEES } from '../../../../shared/core/pricing/surcharges.ts';

const AT = Date.UTC(2026, 10, 20, 12);
const NONE = { tokens_in: 0, tokens_out: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

function costOf(model: string, more: Partial<PricedCall> = {}): number | null {
  return priceCall({ at: AT, ...NONE, tokens_in: 100_000, tokens_out: 10_000, model, ...more }).costNusd;
}

describe('each key of the price list', async () => {
  const providers = (await waitForUpdate()) ?? [];
  const prices = providers.flatMap(({ models }) => models.flatMap(pricesOf));

  it('has a decision, so that a new list changes no cost in silence', () => {
    const keys = new Set(prices.flatMap((price) => Object.keys(price)));
    expect([...keys].filter((key) => !Object.hasOwn(KEY_DECISIONS, key))).toEqual([]);
    expect(keys.size).toBeGreaterThan(20);
  });

  it('without one takes the price from the calls of its model', () => {
    const known = { input_mtok: 1, output_mtok: 2 };
    expect(readRates(known)).not.toBeNull();
    for (const key of ['output_hologram_mtok', 'cache_write_2h_mtok', 'sessions_kcount', 'toString'])
      expect(readRates({ ...known, [key]: 1 }), key).toBeNull();
  });

  it('that prices hours, pages or messages leaves no call of its model a price', () => {
    const isOther = (key: string) => KEY_DECISIONS[key as keyof typeof KEY_DECISIONS] === 'by_other_unit';
    const others = prices.filter((price) => Object.keys(price).some(isOther));
    expect(others.length).toBeGreaterThan(5);
    for (const price of others) expect(readRates(price)).toBeNull();
  });

  it.each([
    ['input_mtok', -1],
    ['cache_read_mtok', Number.NaN],
    ['output_mtok', Number.POSITIVE_INFINITY],
    ['requests_kcount', -5],
    ['web_searches_kcount', { base: 1, tiers: [] }],
    ['output_mtok', { base: 1, tiers: [{ start: 200_000, price: -1 }] }],
  ] as const)('%s that cannot be read does so too', (key, value) => {
    expect(readRates({ input_mtok: 1, output_mtok: 2, [key]: value } as ModelPrice)).toBeNull();
  });
});

describe('output of more than one kind', () => {
  it.each([
    ['has no price unless the call counts the kind that has one of its own', 1_290, {}, null],
    ['nor by another kind', 1_290, { output_audio_tokens: 0 }, null],
    ['is text where the call has none of that kind', 1_290, { output_image_tokens: 0 }, 3_255_000],
    ['is nothing where there is none', 0, {}, 30_000],
  ])('%s', (_, tokens_out, kinds, cost) => {
    expect(costOf('gemini-2.5-flash-image', { tokens_in: 100, tokens_out, ...kinds })).toBe(cost);
  });

  it.each([
    [undefined, 'gemini-3-pro-image-preview'],
    [undefined, 'gemini-3.1-flash-image-preview'],
    [undefined, 'gpt-image-1.5'],
    [undefined, 'gpt-audio'],
    ['perplexity', 'sonar-deep-research'],
    ['google', 'gemini-omni-flash-preview'],
  ])('that no call counts has no price as text: %s %s', (provider, model) => {
    expect(costOf(model, { provider })).toBeNull();
  });

  it('is part of the output, and counts beyond it contradict each other', () => {
    expect(costOf('gpt-5', { output_image_tokens: 10_000 })).toBe(225_000_000);
    expect(costOf('gpt-5', { output_image_tokens: 6_000, output_audio_tokens: 4_001 })).toBeNull();
  });
});

describe('a name', () => {
  it.each([
    'claude-haiku-4-5-lite',
    'claude-sonnet-5-5',
    'gemini-1.5-flash-8b',
    'gemini-2.5-pro-max',
    'gemini-3.6-flash-lite',
    'gpt-5-nano-codex',
    'deepseek-r1-distill-llama-70b',
    'my-gemini-1.5-pro',
    'kimi-k2.5-turbo',
    // An end that changes the price never leaves the price of the rest.
    'claude-sonnet-4-5-fast',
    'claude-opus-4-8-priority',
    'gpt-5-priority',
    'gpt-5.1:thinking',
    'gemini-2.5-pro:thinking',
    'openai/gpt-4o:nitro',
    'anthropic/claude-opus-4.8:online',
    'composer-2.5[fast=true]:batch',
    'claude-opus-4-8[fast]',
  ])('that only begins like a listed one is another model: %s', (model) => {
    expect(costOf(model)).toBeNull();
  });

  it.each([
    ['claude-opus-4-8-20260301', 750_000_000],
    ['claude-sonnet-4-20250514', 450_000_000],
    ['claude-3-5-sonnet-v2@20241022', 450_000_000],
    ['gemini-2.0-flash-001', 14_000_000],
    ['gemini-2.5-pro-preview-05-06', 225_000_000],
    ['eu.amazon.nova-pro-v1:0', 112_000_000],
    ['gpt-5-nano-2025-08-07', 9_000_000],
    ['claude-opus-4-8[1m]', 750_000_000],
    ['ft:gpt-4o-2024-08-06:acme::abc', 525_000_000, 'openai'],
    ['openai/gpt-5', 225_000_000],
    ['models/gemini-2.5-pro', 225_000_000],
    ['vertex_ai/claude-sonnet-4-5@20250929', 450_000_000],
    ['azure/eu/gpt-4o', 350_000_000],
    // Regional inference of Bedrock is 10 % dearer, also when the provider that it came with does not list it.
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 495_000_000, 'anthropic'],
  ])(
    'with a seller, a date, a version or a context around it is the same: %s',
    (model, cost, provider?: string) => {
      expect(costOf(model, { provider })).toBe(cost);
    },
  );

  it.each([
    [undefined, 'claude-opus-4-8-fast', 1_500_000_000],
    [undefined, 'claude-opus-4.8-fast', 1_500_000_000],
    ['openrouter', 'anthropic/claude-opus-4.8-fast', 1_500_000_000],
    ['openrouter', 'anthropic/claude-opus-4.6-fast', 4_500_000_000],
    ['github-copilot', 'claude-opus-4.8-fast', 1_500_000_000],
    [undefined, 'gpt-5-mini-batch', 22_500_000],
    [undefined, 'gpt-5-mini-flex', 22_500_000],
    ['cursor', 'composer-2.5[fast=true]', 450_000_000],
    ['x-ai', 'grok-3-fast', 750_000_000],
  ])('gets such a price from the list or from the factor of its seller: %s %s', (provider, model, cost) => {
    expect(costOf(model, { provider })).toBe(cost);
  });
});

describe('the name of a gateway or a framework sets no price', () => {
  const frameworks =
    'strands-agents spring_ai pydantic_ai semantic_kernel openai-agents smolagents agno mastra google_adk haystack ag2 dspy langgraph Langchain LlamaIndex llama_index CrewAI crew_ai kong bifrost cloudflare helicone github_models copilot cursor autogen';

  it.each(frameworks.split(' '))('%s', (provider) => {
    const call = { tokens_in: 2_000, tokens_out: 120, cache_read_tokens: 1_000, cache_write_tokens: 200 };
    expect(costOf('claude-sonnet-4-5', { provider, ...call })).toBe(5_250_000);
  });

  it.each(['azure_anthropic', 'foundry'])('%s sells what Azure sells', (provider) => {
    expect(costOf('claude-opus-4-8', { provider })).toBe(750_000_000);
  });

  it.each(['vllm', 'ollama', 'lmstudio', 'sglang', 'openai-compatible', 'llamacpp', 'tgi', 'constructor'])(
    'but a server of one’s own has prices that nobody knows: %s',
    (provider) => {
      expect(gatewayNamed(provider)).toBeUndefined();
      expect(costOf('gpt-oss-120b', { provider })).toBeNull();
    },
  );
});

describe('a call says how it was served', () => {
  const written = { tokens_out: 0, cache_write_tokens: 100_000 };
  it.each([
    ['claude-opus-4-8', { region: 'mars' }, null],
    ['claude-opus-4-8', { service_tier: 'fast', region: 'us' }, 1_650_000_000],
    ['claude-opus-4-8-fast', { service_tier: 'batch' }, null],
    ['gpt-5.4', { service_tier: 'flex', region: 'eu' }, 220_000_000],
    // A seller with other terms than the vendor has none of the vendor’s.
    ['claude-opus-4-8', { provider: 'azure', service_tier: 'fast' }, null],
    ['gpt-5', { provider: 'azure', service_tier: 'batch' }, null],
    ['claude-opus-4-8', { tool_uses: { code_execution: 0 } }, 750_000_000],
    ['gpt-5', { tool_uses: { toString: 1 } }, null],
    ['grok-4', { tool_uses: { x_search: 2 } }, 460_000_000],
    ['gemini-2.5-pro', { tool_uses: { web_search: 1 } }, null],
    // A call that only used tools costs their fees.
    ['claude-opus-4-8', { tokens_in: 0, tokens_out: 0, tool_uses: { web_search: 2 } }, 20_000_000],
    ['in-house-7b', { tokens_in: 0, tokens_out: 0, tool_uses: { web_search: 2 } }, null],
    // Tokens that are cached for an hour have a price of their own or none, and are part of those that are cached.
    ['gpt-6-sol', { ...written, cache_write_1h_tokens: 1 }, null],
    ['claude-sonnet-4-5', { ...written, cache_write_1h_tokens: 100_001 }, null],
  ] satisfies [string, Partial<PricedCall>, number | null][])('%s %j', (model, service, cost) => {
    expect(costOf(model, service)).toBe(cost);
  });
});

it('every row beside the list names its source and the day on which it was read', () => {
  for (const { source, read } of [...FACTORS, ...FEES]) {
    expect(source).toMatch(/^https:\/\//);
    expect(read).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
});

function pricesOf(model: ModelInfo): ModelPrice[] {
  return Array.isArray(model.prices) ? model.prices.map(({ prices }) => prices) : [model.prices];
}
