import { calcPrice, type ModelInfo, type ModelPrice, waitForUpdate } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { type PricedCall, priceCall } from '../../../../shared/core/pricing/price.ts';
import { findListing } from '../../../../shared/core/pricing/rates.ts';

const AT = Date.UTC(2025, 10, 20, 12);

function call(overrides: Partial<PricedCall>): PricedCall {
  const none = { tokens_in: 0, tokens_out: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
  return { at: AT, ...none, ...overrides };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('golden prices', () => {
  it('prices Claude Sonnet 4.5, 12 in + 8000 cache read + 500 cache write, 300 out, at $0.008811', () => {
    const claude = { provider: 'anthropic', model: 'claude-sonnet-4-5', tokens_in: 8_512, tokens_out: 300 };
    const price = priceCall(call({ ...claude, cache_read_tokens: 8_000, cache_write_tokens: 500 }));
    expect(price).toEqual({ costNusd: 8_811_000, source: 'computed' });
  });

  it('prices gpt-5, 12000 in of which 8000 cached, 900 out, at $0.015', () => {
    const price = priceCall(
      call({ model: 'gpt-5', tokens_in: 12_000, cache_read_tokens: 8_000, tokens_out: 900 }),
    );
    expect(price).toEqual({ costNusd: 15_000_000, source: 'computed' });
  });

  it('prices gemini-2.5-pro, 5000 in of which 2000 cached, 400 out + 600 thoughts, at $0.014', () => {
    const gemini = { provider: 'gcp.gemini', model: 'gemini-2.5-pro', tokens_in: 5_000, tokens_out: 1_000 };
    expect(priceCall(call({ ...gemini, cache_read_tokens: 2_000 }))).toEqual({
      costNusd: 14_000_000,
      source: 'computed',
    });
  });

  it('sums 1,000 calls of gpt-4o-mini with 100 tokens in to exactly $0.0150', () => {
    let sum = 0;
    for (let i = 0; i < 1_000; i += 1)
      sum += priceCall(call({ model: 'gpt-4o-mini', tokens_in: 100 })).costNusd ?? 0;
    expect(sum).toBe(15_000_000);
  });
});

describe('a prefixed id costs what the bare one costs', () => {
  it.each([
    ['anthropic/claude-sonnet-4-5', 4_500_000],
    ['openai/gpt-5', 2_250_000],
    ['models/gemini-2.5-pro', 2_250_000],
    ['vertex_ai/claude-sonnet-4-5@20250929', 4_500_000],
    ['azure/eu/gpt-4o', 3_500_000],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 4_950_000], // Regional inference of Bedrock is 10 % dearer.
  ])('%s', (model, costNusd) => {
    const usage = { tokens_in: 1_000, tokens_out: 100 };
    expect(priceCall(call({ model, ...usage }))).toEqual({ costNusd, source: 'computed' });
  });

  it('also when the provider that it came with does not list it', () => {
    const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
    const usage = { tokens_in: 1_000, tokens_out: 100 };
    expect(priceCall(call({ provider: 'anthropic', model, ...usage })).costNusd).toBe(4_950_000);
  });
});

describe('the price of the time', () => {
  const usage = { tokens_in: 300_000, tokens_out: 1_000 };

  it('changes on the day on which the list changed, also when later calls were priced first', () => {
    const opus = { provider: 'anthropic', model: 'claude-opus-4-6', ...usage };
    const changed = Date.UTC(2026, 2, 13);
    expect(priceCall(call({ ...opus, at: changed })).costNusd).toBe(1_525_000_000);
    expect(priceCall(call({ ...opus, at: changed - 1 })).costNusd).toBe(3_037_500_000);
    expect(priceCall(call({ ...opus, at: new Date(changed) })).costNusd).toBe(1_525_000_000);
  });

  it('follows the hour for a model with off-peak prices', () => {
    const deepseek = { provider: 'deepseek', model: 'deepseek-chat', tokens_in: 1_000_000 };
    const at = (hour: number, minute: number, second: number) => Date.UTC(2025, 5, 1, hour, minute, second);
    const costs = [at(0, 29, 59), at(0, 30, 0), at(16, 29, 59), at(16, 30, 0)].map(
      (moment) => priceCall(call({ ...deepseek, at: moment })).costNusd,
    );
    expect(costs).toEqual([135_000_000, 270_000_000, 270_000_000, 135_000_000]);
  });

  it('of an evening goes on after midnight as the same listed price', () => {
    const sinceAt = (moment: number) => findListing('deepseek', 'deepseek-chat', moment)?.since;
    const [evening, night] = [Date.UTC(2025, 5, 1, 16, 40), Date.UTC(2025, 5, 2, 0, 10)].map(sinceAt);
    expect(evening).toMatch(/16:30$/);
    expect(night).toBe(evening);
    expect(sinceAt(Date.UTC(2025, 5, 2, 0, 40))).toMatch(/00:30$/);
  });

  it('takes the dearer tier for the whole call once its input is over the limit', () => {
    const sonnet = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
    expect(priceCall(call({ ...sonnet, tokens_in: 200_000, tokens_out: 1_000 })).costNusd).toBe(615_000_000);
    expect(priceCall(call({ ...sonnet, tokens_in: 200_001, tokens_out: 1_000 })).costNusd).toBe(
      1_222_506_000,
    );
  });
});

describe('unknown, never a guess', () => {
  const usage = { tokens_in: 1_000, tokens_out: 100 };

  it.each([
    ['no model', {}],
    ['an empty model', { model: '' }],
    ['a model of no list', { model: 'in-house-7b' }],
    ['a provider of no list', { provider: 'vllm', model: 'gpt-5' }],
    ['a model that its provider does not have', { provider: 'anthropic', model: 'gpt-5' }],
    ['tokens of a model that is priced by the hour', { provider: 'openai', model: 'whisper-1' }],
    ['more cached tokens than tokens', { model: 'gpt-5', cache_read_tokens: 900, cache_write_tokens: 101 }],
    ['a negative count', { model: 'gpt-5', tokens_out: -1 }],
    ['a fraction of a token', { model: 'gpt-5', tokens_in: 0.5 }],
    ['NaN tokens', { model: 'gpt-5', tokens_in: Number.NaN }],
    ['a cost beyond a safe integer', { model: 'gpt-5', tokens_in: Number.MAX_SAFE_INTEGER }],
    ['an invalid time', { model: 'gpt-5', at: Number.NaN }],
    ['an invalid Date', { model: 'claude-opus-4-6', at: new Date(Number.NaN) }],
    ['a model of a megabyte', { model: 'gpt-5'.padEnd(1_000_000, 'x') }],
  ] satisfies [string, Partial<PricedCall>][])('%s', (_, overrides) => {
    expect(priceCall(call({ ...usage, ...overrides }))).toEqual({ costNusd: null, source: 'unknown' });
  });

  it('but a call without tokens costs nothing, whatever ran it', () => {
    expect(priceCall(call({}))).toEqual({ costNusd: 0, source: 'computed' });
    expect(priceCall(call({ model: 'in-house-7b' }))).toEqual({ costNusd: 0, source: 'computed' });
  });

  it('and a listed free model costs nothing', () => {
    const price = priceCall(call({ provider: 'mistral', model: 'devstral-small:free', ...usage }));
    expect(price).toEqual({ costNusd: 0, source: 'computed' });
  });

  it.each([
    ['openrouter', 'deepseek/deepseek-chat-v3.1:free'],
    ['open_router', 'Qwen/not-listed-yet:free'],
    [undefined, 'openrouter/deepseek/deepseek-r1-0528:free'],
    ['litellm', 'openrouter/openai/gpt-5:free'],
  ])(
    'and a free variant at OpenRouter (%s, %s) costs nothing, whether it is listed or not',
    (provider, model) => {
      expect(priceCall(call({ provider, model, ...usage }))).toEqual({ costNusd: 0, source: 'computed' });
    },
  );
});

describe('a reported cost', () => {
  it('wins over the list price, also when it is zero or the model is unknown', () => {
    const usage = { model: 'gpt-5', tokens_in: 1_000 };
    expect(priceCall(call({ ...usage, reportedUsd: 0.5 }))).toEqual({
      costNusd: 500_000_000,
      source: 'reported',
    });
    expect(priceCall(call({ ...usage, reportedUsd: 0 }))).toEqual({ costNusd: 0, source: 'reported' });
    expect(priceCall(call({ reportedUsd: 0.1 }))).toEqual({ costNusd: 100_000_000, source: 'reported' });
  });

  it.each([-0.01, Number.NaN, 1e308, Number.POSITIVE_INFINITY])(
    'of %d is unknown, not replaced',
    (reportedUsd) => {
      const price = priceCall(call({ model: 'gpt-5', tokens_in: 1_000, reportedUsd }));
      expect(price).toEqual({ costNusd: null, source: 'unknown' });
    },
  );
});

it('gives a safe integer ≥ 0 or null for any strings and numbers, never throws, never uses the network', () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  const name = fc.option(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('anthropic', 'gcp.gemini', 'claude-opus-4-6', '../../x', 'models/'),
    ),
    { nil: undefined },
  );
  const count = fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.double());
  const anyCall = fc.record({
    provider: name,
    model: name,
    at: fc.oneof(fc.maxSafeInteger(), fc.double(), fc.date({ noInvalidDate: false })),
    tokens_in: count,
    tokens_out: count,
    cache_read_tokens: count,
    cache_write_tokens: count,
    reportedUsd: fc.option(fc.double(), { nil: undefined }),
  });
  fc.assert(
    fc.property(anyCall, (odd) => {
      const { costNusd, source } = priceCall(odd);
      expect(costNusd === null).toBe(source === 'unknown');
      if (costNusd !== null) expect(Number.isSafeInteger(costNusd) && costNusd >= 0).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(fetched).not.toHaveBeenCalled();
});

describe('against the library, which sums in floats', async () => {
  const listed = await listPricedModels();

  it('agrees to the nano-USD on every model that it finds by its id', () => {
    const tokens = { tokens_in: fc.nat(400_000), tokens_out: fc.nat(50_000) };
    const shares = { read: fc.nat(50), write: fc.nat(50), at: fc.integer({ min: 0, max: 730 * 86_400 }) };
    fc.assert(
      fc.property(fc.constantFrom(...listed), fc.record({ ...tokens, ...shares }), (model, usage) => {
        const priced = call({
          ...model,
          at: Date.UTC(2025, 0, 1) + usage.at * 1_000,
          tokens_in: usage.tokens_in,
          tokens_out: usage.tokens_out,
          cache_read_tokens: Math.floor((usage.tokens_in * usage.read) / 100),
          cache_write_tokens: Math.floor((usage.tokens_in * usage.write) / 100),
        });
        fc.pre(usage.tokens_in + usage.tokens_out > 0);
        expect(Math.abs((priceCall(priced).costNusd ?? -1) - floatNusd(priced))).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });

  it('agrees on both sides of each change of a price by date and by time of day, in any order', async () => {
    const changing = await listChanges();
    expect(changing.length).toBeGreaterThan(0);
    for (const { model, moments } of changing)
      for (const at of [...moments, ...moments.toReversed()]) {
        const priced = call({ ...model, at, tokens_in: 1_000, tokens_out: 100 });
        const cost = priceCall(priced).costNusd ?? -1;
        expect(
          Math.abs(cost - floatNusd(priced)),
          `${model.model} ${new Date(at).toISOString()}`,
        ).toBeLessThanOrEqual(1);
      }
  });

  it('covers most of its list', () => {
    expect(listed.length).toBeGreaterThan(1_000);
  });
});

/** Models whose price changes by date and by time of day, with the moments around each change. */
async function listChanges(): Promise<{ model: { provider: string; model: string }; moments: number[] }[]> {
  const found = [];
  for (const provider of (await waitForUpdate()) ?? [])
    for (const model of provider.models) {
      if (!Array.isArray(model.prices)) continue;
      const constraints = model.prices.flatMap(({ constraint }) => (constraint ? [constraint] : []));
      const days = constraints.flatMap((one) =>
        one.type === 'start_date' ? [Date.parse(one.start_date)] : [],
      );
      const times = constraints.flatMap((one) =>
        one.type === 'time_of_date' ? [one.start_time, one.end_time] : [],
      );
      if (days.length === 0 || times.length === 0) continue;
      const moments = days.flatMap((day) =>
        [-1, 0, 1].flatMap((offset) => {
          const midnight = day + offset * 86_400_000;
          const ofDay = times.map((time) => midnight + Date.parse(`1970-01-01T${time}`));
          return [midnight, ...ofDay].flatMap((moment) => [moment - 1, moment, moment + 3_600_000]);
        }),
      );
      found.push({ model: { provider: provider.id, model: model.id }, moments });
    }
  return found;
}

/** Models whose id leads the library back to them, with prices for tokens both ways at all times, and one for all output. */
async function listPricedModels(): Promise<{ provider: string; model: string }[]> {
  const providers = (await waitForUpdate()) ?? [];
  return providers.flatMap((provider) =>
    provider.models
      .filter((model) => pricesOf(model).every((price) => 'input_mtok' in price && 'output_mtok' in price))
      .filter((model) => pricesOf(model).every((price) => !Object.keys(price).some(isOfSomeOutput)))
      .filter((model) => calcPrice({}, model.id, { providerId: provider.id })?.model === model)
      .map((model) => ({ provider: provider.id, model: model.id })),
  );
}

function isOfSomeOutput(key: string): boolean {
  return /^output_.+_mtok$/.test(key);
}

function pricesOf(model: ModelInfo): ModelPrice[] {
  return Array.isArray(model.prices) ? model.prices.map((conditional) => conditional.prices) : [model.prices];
}

function floatNusd(priced: PricedCall): number {
  const usage = {
    input_tokens: priced.tokens_in,
    output_tokens: priced.tokens_out,
    cache_read_tokens: priced.cache_read_tokens,
    cache_write_tokens: priced.cache_write_tokens,
  };
  const options = { providerId: priced.provider ?? '', timestamp: new Date(Number(priced.at)) };
  return (calcPrice(usage, priced.model ?? '', options)?.total_price ?? Number.NaN) * 1e9;
}
