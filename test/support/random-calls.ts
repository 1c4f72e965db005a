import fc from 'fast-check';

/**
 * A call as it describes itself: of models that are listed and one that is not, with and without a reported cost, below and
 * above a context tier, with and without cache and error.
 */
export const anyCall = fc
  .record({
    // A token of the last one that is listed costs no whole number of nanodollars.
    model: fc.constantFrom(
      'claude-sonnet-4-5',
      'gpt-5',
      'gemini-2.5-pro',
      'sonar-pro',
      'gemini-1.5-flash-8b',
      'unheard-of',
    ),
    tokens_in: fc.oneof(fc.nat(9), fc.nat(900_000)),
    read: fc.double({ min: 0, max: 1, noNaN: true }),
    tokens_out: fc.nat(60_000),
    cost_usd: fc.option(
      fc.nat(5_000_000_000).map((nusd) => nusd / 1e9),
      { nil: undefined },
    ),
    isWrong: fc.boolean(),
  })
  .map(({ read, cost_usd, isWrong, ...call }) => ({
    ...call,
    cache_read_tokens: Math.floor(call.tokens_in * read),
    ...(cost_usd === undefined ? {} : { cost_usd }),
    ...(isWrong ? { error: { code: 'timeout' } } : {}),
  }));
