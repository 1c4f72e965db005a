import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALL_PARTS, type PricedCall, priceCall } from '../../../../shared/core/pricing/price.ts';
import { findRates } from '../../../../shared/core/pricing/rates.ts';
import type { Rate } from '../../../../shared/core/pricing/read-rates.ts';
import { splitCall } from '../../../../shared/core/pricing/split-call.ts';

const AT = Date.UTC(2026, 9, 20, 12);
const NONE = { tokens_in: 0, tokens_out: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
const NOTHING = { input: 0, cache_read: 0, cache_write: 0, output: 0, request: 0 };

function call(overrides: Partial<PricedCall>): PricedCall {
  return { at: AT, ...NONE, ...overrides };
}

/** A call of a listed model: with tiers, with a fee per request, with prices below a nanodollar per token. */
const anyCall = fc
  .record({
    model: fc.constantFrom(
      'claude-sonnet-4-5',
      'gpt-5',
      'gpt-4o-mini',
      'gemini-2.5-pro',
      'gemini-1.5-flash-8b',
      'sonar-pro',
      'o3',
      'unheard-of',
    ),
    tokens_in: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 1_000_000 })),
    read: fc.double({ min: 0, max: 1, noNaN: true }),
    written: fc.double({ min: 0, max: 1, noNaN: true }),
    tokens_out: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 100_000 })),
  })
  .map(({ read, written, ...given }) => {
    const cache_read_tokens = Math.floor(given.tokens_in * read);
    const cache_write_tokens = Math.floor((given.tokens_in - cache_read_tokens) * written);
    return call({ ...given, cache_read_tokens, cache_write_tokens });
  });

/** The parts of a listed call by the list's rates, each rounded down. */
function floorsOf(one: PricedCall): Record<(typeof CALL_PARTS)[number], number> {
  const rates = findRates(undefined, one.model ?? '', AT);
  if (!rates) throw new Error('The model is not listed.');
  const at = (tokens: number, rate: Rate | undefined) => {
    const tier = rate?.tiers.findLast(({ above }) => one.tokens_in > above);
    return Number((BigInt(tokens) * (tier?.rate ?? rate?.base ?? 0n)) / 1_000_000_000n);
  };
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = one;
  return {
    input: at(tokens_in - cache_read_tokens - cache_write_tokens, rates.input),
    cache_read: at(cache_read_tokens, rates.cacheRead),
    cache_write: at(cache_write_tokens, rates.cacheWrite),
    output: at(tokens_out, rates.output),
    request: Number(rates.attoPerRequest / 1_000_000_000n),
  };
}

function sum(split: Record<string, number>): number {
  return CALL_PARTS.reduce((all, part) => all + (split[part] ?? 0), 0);
}

describe('the parts of a call', () => {
  it('of Claude Sonnet 4.5 are its tokens at their rates', () => {
    const claude = call({
      model: 'claude-sonnet-4-5',
      tokens_in: 8_512,
      cache_read_tokens: 8_000,
      cache_write_tokens: 500,
      tokens_out: 300,
    });
    expect(splitCall(claude, { costNusd: 8_811_000, source: 'computed' })).toEqual({
      input: 36_000,
      cache_read: 2_400_000,
      cache_write: 1_875_000,
      output: 4_500_000,
      request: 0,
    });
  });

  it('sum to the cost to the nanodollar, whatever was recorded, and none is negative', () => {
    fc.assert(
      fc.property(anyCall, fc.option(fc.integer({ min: 0, max: 2 ** 50 })), (one, reported) => {
        const price = priceCall(one);
        const costNusd = reported ?? price.costNusd ?? 0;
        const source = reported === null ? price.source : 'reported';
        const split = splitCall(one, { costNusd, source });
        if (split === null) return;
        expect(sum(split)).toBe(costNusd);
        for (const part of CALL_PARTS) expect(split[part]).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('of a computed cost are tokens × rate rounded down, but for the largest, which takes the rest', () => {
    fc.assert(
      fc.property(anyCall, (one) => {
        const { costNusd, source } = priceCall(one);
        if (costNusd === null || one.tokens_in + one.tokens_out === 0) return;
        const floors = floorsOf(one);
        const split = splitCall(one, { costNusd, source }) ?? NOTHING;
        const largest = CALL_PARTS.find((part) => floors[part] === Math.max(...Object.values(floors)));
        const others = CALL_PARTS.filter((part) => part !== largest);
        if (Math.max(...Object.values(floors)) > 0)
          for (const part of others) expect(split[part]).toBe(floors[part]);
      }),
    );
  });

  // The list: 3 per million in, 15 out. So 5,000 in and 1,000 out are half and half.
  it.each([
    ['of a reported cost are in the proportion of the list price', 5_000, 1_001, [501, 500]],
    ['of a computed cost that the list no longer gives too', 5_000, 20_000_000, [10_000_000, 10_000_000]],
    ['take the rest in the order of the parts at a tie', 5_000, 1, [1, 0]],
    ['take none of it without tokens', 0, 1, [0, 1]],
  ] as const)('%s', (_, tokens_in, costNusd, [input, output]) => {
    const claude = call({ model: 'claude-sonnet-4-5', tokens_in, tokens_out: 1_000 });
    for (const source of ['reported', 'computed'] as const)
      expect(splitCall(claude, { costNusd, source })).toEqual({ ...NOTHING, input, output });
  });

  it('are unknown without a list price, and where a call cost something that the list has for nothing', () => {
    const cost = { costNusd: 500, source: 'reported' } as const;
    expect(splitCall(call({ model: 'unheard-of', tokens_in: 10 }), cost)).toBeNull();
    expect(splitCall(call({ tokens_in: 10 }), cost)).toBeNull();
    expect(splitCall(call({ model: 'gpt-5' }), cost)).toBeNull();
    expect(splitCall(call({ model: 'gpt-5', tokens_in: 1, cache_read_tokens: 2 }), cost)).toBeNull();
  });
});
