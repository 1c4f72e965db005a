import { describe, expect, test } from 'vitest';
import { priceInCents, purchasableCredits } from '../../../../shared/wings/purchases/price.ts';

describe('the price of credits', () => {
  test.each([
    [100, 0.01, 100],
    [1_001, 0.0125, 1_251],
    // Half a cent goes up; 0.1 + 0.2 of floating point plays no part.
    [2, 0.0125, 3],
    [3, 0.1, 30],
    [1_000_000_000, 0.000_001, 100_000],
    [9_999, 10_000, 9_999_000_000],
  ])('%i credits at %d USD cost %i cents', (credits, priceUsd, cents) => {
    expect(priceInCents(credits, priceUsd)).toBe(cents);
  });

  test.each([0.000_001, 0.0125, 0.3, 1, 49.99, 10_000])(
    'at %d USD, what can be bought costs what Stripe charges: 0.50 to 999,999.99 USD',
    (priceUsd) => {
      const { least, most } = purchasableCredits(priceUsd);
      expect(priceInCents(least, priceUsd)).toBeGreaterThanOrEqual(50);
      expect(priceInCents(most, priceUsd)).toBeLessThanOrEqual(99_999_999);
      expect((least - 1) * priceUsd).toBeLessThan(0.5);
      expect(most <= 1_000_000_000).toBe(true);
    },
  );
});
