import { scaleDecimal } from '../../core/pricing/money.ts';

/** The amounts that Stripe charges in US dollars, in cents: https://docs.stripe.com/currencies */
const LEAST_CENTS = 50n;
const MOST_CENTS = 99_999_999n;
const NUSD_PER_CENT = 10_000_000n;
/** As many as one grant may hold. */
export const MOST_CREDITS = 1_000_000_000;

/** The price of so many credits in US cents, half a cent up. `priceUsd` is the price of one. */
export function priceInCents(credits: number, priceUsd: number): number {
  return Number((BigInt(credits) * nusdOf(priceUsd) + NUSD_PER_CENT / 2n) / NUSD_PER_CENT);
}

/** How many credits can be bought at once at this price: fewer or more would cost what Stripe does not charge. */
export function purchasableCredits(priceUsd: number): { least: number; most: number } {
  const nusd = nusdOf(priceUsd);
  const least = (LEAST_CENTS * NUSD_PER_CENT + nusd - 1n) / nusd;
  const most = (MOST_CENTS * NUSD_PER_CENT) / nusd;
  return { least: Number(least), most: Number(most < MOST_CREDITS ? most : MOST_CREDITS) };
}

function nusdOf(usd: number): bigint {
  const nusd = scaleDecimal(usd, 9);
  if (!nusd) throw new Error(`Not a price: ${usd}`);
  return nusd;
}
