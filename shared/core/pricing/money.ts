/**
 * Money is an integer number of nano-USD (1e-9 USD) everywhere inside; US dollars exist only at the edge.
 * A safe integer of nano-USD reaches 9,007,199 USD.
 */

const NANO_PLACES = 9;
const NUSD_PER_CENT_OF_A_CENT = 100_000;

/** Nano-USD of the decimal that `usd` prints as, half-even; null when negative, not finite or too large. */
export function nusdFromUsd(usd: number): number | null {
  const nusd = scaleDecimal(usd, NANO_PLACES);
  return nusd === null ? null : safeNumber(nusd);
}

/** US dollars with at most 4 decimals, half-even. `nusd` is an integer of either sign and any size. */
export function usd4(nusd: number | bigint): number {
  if (Number.isSafeInteger(nusd)) return roundedUsd4(Number(nusd));
  const exact = BigInt(nusd);
  const rounded = divideHalfEven(exact < 0n ? -exact : exact, BigInt(NUSD_PER_CENT_OF_A_CENT));
  return Number(exact < 0n ? -rounded : rounded) / 10_000;
}

/** The same of a safe integer, which a number divides exactly: each check of a call shows several amounts. */
function roundedUsd4(nusd: number): number {
  const rest = Math.abs(nusd) % NUSD_PER_CENT_OF_A_CENT;
  const whole = (Math.abs(nusd) - rest) / NUSD_PER_CENT_OF_A_CENT;
  const half = NUSD_PER_CENT_OF_A_CENT / 2;
  const rounded = rest > half || (rest === half && whole % 2 === 1) ? whole + 1 : whole;
  return (nusd < 0 ? 0 - rounded : rounded) / 10_000;
}

/** US dollars with all 9 decimals, so that written rows sum to the exact total. */
export function usd9(nusd: bigint): string {
  const digits = String(nusd < 0n ? -nusd : nusd).padStart(NANO_PLACES + 1, '0');
  return `${nusd < 0n ? '-' : ''}${digits.slice(0, -NANO_PLACES)}.${digits.slice(-NANO_PLACES)}`;
}

/**
 * `value` × 10^`places` as an integer, half-even. Reads the shortest decimal that prints the number, which is
 * the decimal that its author wrote: 0.1 is one tenth here, not the binary fraction next to it.
 * Null when negative or not finite.
 */
export function scaleDecimal(value: number, places: number): bigint | null {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!match) return null;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const shift = Number(exponent) - fraction.length + places;
  const digits = BigInt(whole + fraction);
  return shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfEven(digits, 10n ** BigInt(-shift));
}

/** `dividend` / `divisor`, both ≥ 0, a tie going to the even neighbour. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** The same integer as a number; null when a number cannot hold it exactly. */
export function safeNumber(value: bigint): number | null {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : null;
}

/** Formats US dollars for people, with cents and at most so many decimals. */
export function dollars(maximumFractionDigits: number): Intl.NumberFormat {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits });
}
