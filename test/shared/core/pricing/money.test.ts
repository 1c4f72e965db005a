import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  divideHalfEven,
  nusdFromUsd,
  scaleDecimal,
  usd4,
  usd9,
} from '../../../../shared/core/pricing/money.ts';

const safeNusd = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe('nano-USD of a reported cost', () => {
  it.each([
    [-0, 0],
    [0.1, 100_000_000],
    [8.1e-7, 810],
    [0.0000000005, 0],
    [0.0000000015, 2],
    [0.00000000050001, 1],
    [0.0123456785, 12_345_678],
    [5e-324, 0],
    [-1e-12, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [1e21, null],
    [9_007_200, null],
  ])('takes %d USD as the decimal that it prints, half-even, where it has an amount', (usd, nusd) => {
    expect(nusdFromUsd(usd)).toBe(nusd);
  });

  it('gives a safe integer or nothing for any number', () => {
    fc.assert(
      fc.property(fc.double(), (usd) => {
        const nusd = nusdFromUsd(usd);
        expect(nusd === null || (Number.isSafeInteger(nusd) && nusd >= 0)).toBe(true);
      }),
    );
  });

  it('brings back every amount that was written with 9 decimals and that a double can hold', () => {
    const upToAMillionUsd = fc.integer({ min: 0, max: 1e15 - 1 });
    fc.assert(
      fc.property(upToAMillionUsd, (nusd) => {
        expect(nusdFromUsd(Number(usd9(BigInt(nusd))))).toBe(nusd);
      }),
    );
  });
});

describe('US dollars at the edge', () => {
  it.each([
    [50_000, 0],
    [50_001, 0.0001],
    [150_000, 0.0002],
    [1_234_567_890, 1.2346],
    [-150_000, -0.0002],
    [-1, 0],
    [12_345_678_901_250_000n, 12_345_678.9012],
    [-12_345_678_901_350_000n, -12_345_678.9014],
  ])('rounds %d nano-USD half-even to 4 decimals', (nusd, usd) => {
    expect(usd4(nusd)).toBe(usd);
  });

  it('never writes more than 4 decimals, and is never further than half of the last one', () => {
    fc.assert(
      fc.property(safeNusd, (nusd) => {
        const units = scaleDecimal(usd4(nusd), 4);
        expect(Number((units ?? 0n).toString()) / 10_000).toBe(usd4(nusd));
        expect(usd4(BigInt(nusd))).toBe(usd4(nusd));
        const distance = (units ?? 0n) * 100_000n - BigInt(nusd);
        expect(distance <= 50_000n && distance >= -50_000n).toBe(true);
      }),
    );
  });

  it.each([
    [1, '0.000000001'],
    [12_345_678_901, '12.345678901'],
    [-5, '-0.000000005'],
  ])('writes %d nano-USD with 9 decimals', (nusd, text) => {
    expect(usd9(BigInt(nusd))).toBe(text);
  });

  it('writes rows with 9 decimals that sum to the exact total', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e12 }), { maxLength: 50 }), (rows) => {
        const total = rows.reduce((sum, nusd) => sum + nusd, 0);
        const written = rows.map((nusd) => BigInt(usd9(BigInt(nusd)).replace('.', '')));
        expect(written.reduce((sum, digits) => sum + digits, 0n)).toBe(BigInt(total));
      }),
    );
  });
});

it('divides half-even: never further than half, a tie to the even neighbour', () => {
  const natural = fc.bigInt({ min: 0n, max: 10n ** 30n });
  fc.assert(
    fc.property(natural, fc.bigInt({ min: 1n, max: 10n ** 12n }), (dividend, divisor) => {
      const quotient = divideHalfEven(dividend, divisor);
      const twiceOff = (dividend - quotient * divisor) * 2n;
      expect(twiceOff <= divisor && -twiceOff <= divisor).toBe(true);
      if (twiceOff === divisor || -twiceOff === divisor) expect(quotient % 2n).toBe(0n);
    }),
  );
});
