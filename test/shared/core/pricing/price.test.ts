import { calcPrice, type ModelInfo, type ModelPrice, waitForUpdate } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { type CallPrice, type PricedCall, priceCall } from '../../../../shared/core/pricing/price.ts';
import { findListing } from '../../../../shared/core/pricing/rates.ts';

const AT = Date.UTC(2025, 10, 20, 12);

function call(overrides: Partial<PricedCall>): PricedCall {
  const none = { tokens_in: 0, tokens_out: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
  return { at: AT, ...none, ...overrides };
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('the price of an evening with off-peak prices goes on after midnight as the same listed price', () => {
  const sinceAt = (moment: number) => findListing('deepseek', 'deepseek-chat', moment)?.since;
  const [evening, night] = [Date.UTC(2025, 5, 1, 16, 40), Date.UTC(2025, 5, 2, 0, 10)].map(sinceAt);
  expect(evening).toMatch(/16:30$/);
  expect(night).toBe(evening);
  expect(sinceAt(Date.UTC(2025, 5, 2, 0, 40))).toMatch(/00:30$/);
});

const SONNET = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
const NONE = { tokens_in: 0, tokens_out: 0 };

/** Calls of 1,000 tokens in and 100 out where they say nothing else. */
it.each<[string, Partial<PricedCall>, number | null, CallPrice['source']?]>([
  ['tokens up to a limit have a price', { ...SONNET, tokens_in: 200_000 }, 601_500_000],
  ['beyond it the dearer one, all of them', { ...SONNET, tokens_in: 200_001 }, 1_202_256_000],
  // Unknown, never a guess.
  ['no model', {}, null],
  ['an empty model', { model: '' }, null],
  ['a model of no list', { model: 'in-house-7b' }, null],
  ['a provider of no list', { provider: 'vllm', model: 'gpt-5' }, null],
  ['a model that its provider does not have', { provider: 'anthropic', model: 'gpt-5' }, null],
  ['tokens of a model that is priced by the hour', { provider: 'openai', model: 'whisper-1' }, null],
  [
    'more cached tokens than tokens',
    { model: 'gpt-5', cache_read_tokens: 900, cache_write_tokens: 101 },
    null,
  ],
  ['a negative count', { model: 'gpt-5', tokens_out: -1 }, null],
  ['a fraction of a token', { model: 'gpt-5', tokens_in: 0.5 }, null],
  ['NaN tokens', { model: 'gpt-5', tokens_in: Number.NaN }, null],
  ['a cost beyond a safe integer', { model: 'gpt-5', tokens_in: Number.MAX_SAFE_INTEGER }, null],
  ['an invalid time', { model: 'gpt-5', at: Number.NaN }, null],
  ['an invalid Date', { model: 'claude-opus-4-6', at: new Date(Number.NaN) }, null],
  ['a model of a megabyte', { model: 'gpt-5'.padEnd(1_000_000, 'x') }, null],
  ['but a call without tokens costs nothing', NONE, 0],
  ['whatever ran it', { ...NONE, model: 'in-house-7b' }, 0],
  ['and a listed free model', { provider: 'mistral', model: 'devstral-small:free' }, 0],
  // A free variant at OpenRouter costs nothing, whether it is listed or not.
  ['a free variant', { provider: 'openrouter', model: 'deepseek/deepseek-chat-v3.1:free' }, 0],
  ['one that is not listed', { provider: 'open_router', model: 'Qwen/not-listed-yet:free' }, 0],
  ['one without a provider', { model: 'openrouter/deepseek/deepseek-r1-0528:free' }, 0],
  ['one behind a gateway', { provider: 'litellm', model: 'openrouter/openai/gpt-5:free' }, 0],
  ['a reported cost wins over the list price', { model: 'gpt-5', reportedUsd: 0.5 }, 500_000_000, 'reported'],
  ['also when it is zero', { model: 'gpt-5', reportedUsd: 0 }, 0, 'reported'],
  ['and when the model is unknown', { reportedUsd: 0.1 }, 100_000_000, 'reported'],
  ['it is unknown, not replaced, when it is negative', { model: 'gpt-5', reportedUsd: -0.01 }, null],
  ['and when it is no number', { model: 'gpt-5', reportedUsd: Number.NaN }, null],
  ['or too large a one', { model: 'gpt-5', reportedUsd: 1e308 }, null],
])('%s', (_, overrides, costNusd, source = costNusd === null ? 'unknown' : 'computed') => {
  const price = priceCall(call({ tokens_in: 1_000, tokens_out: 100, ...overrides }));
  expect(price).toEqual({ costNusd, source });
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

  it('agrees on both sides of each change of a price by date or by time of day, in any order', async () => {
    const known = new Set(listed.map((model) => JSON.stringify(model)));
    const changing = (await listChanges()).filter(({ model }) => known.has(JSON.stringify(model)));
    expect(changing.length).toBeGreaterThan(0);
    for (const { model, moments } of changing)
      for (const at of [...moments, ...moments.toReversed()]) {
        const priced = call({ ...model, at, tokens_in: 1_000, tokens_out: 100 });
        // Before its first price a model has none.
        const { costNusd } = priceCall(priced);
        const [found, expected] = [costNusd ?? Number.NaN, floatNusd(priced)];
        const isSame = Object.is(found, expected) || Math.abs(found - expected) <= 1;
        expect(isSame, `${model.model} ${new Date(at).toISOString()}`).toBe(true);
      }
  });

  it('covers most of its list', () => {
    expect(listed.length).toBeGreaterThan(1_000);
  });
});

/** Models whose price changes by date or by time of day, with the moments around each change. */
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
      if (days.length + times.length === 0) continue;
      const moments = (days.length > 0 ? days : [AT]).flatMap((day) =>
        [-1, 0, 1].flatMap((offset) => {
          const midnight = day - (day % 86_400_000) + offset * 86_400_000;
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
