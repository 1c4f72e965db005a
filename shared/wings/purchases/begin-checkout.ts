import { readOrganization } from '../../core/accounts/organizations/read-organization.ts';
import { catchUp } from '../../core/credits/ledger/catch-up.ts';
import { keyDigest } from '../../core/credits/meter/idempotency.ts';
import { plansOf } from '../../core/credits/meter/plans.ts';
import { ledgerRows } from '../../core/credits/model.ts';
import { DomainError, invalid } from '../../platform/basics/errors.ts';
import { newId } from '../../platform/basics/ids.ts';
import type { Context } from '../../platform/context/context.ts';
import { priceInCents, purchasableCredits } from './price.ts';
import { createCheckoutSession } from './stripe-api.ts';

/** The price of a credit, and how many can be bought at once. */
export interface Offer {
  priceUsd: number;
  least: number;
  most: number;
}

/** The offer to the members of an organization. Null without `STRIPE_SECRET_KEY`, or without a price of its plan. */
export async function offerTo(ctx: Context, orgId: string): Promise<Offer | null> {
  const { plan } = await readOrganization(ctx, orgId);
  const priceUsd = plansOf(ctx)[plan].credit_price_usd;
  if (ctx.config.stripeSecretKey === undefined || priceUsd === undefined) return null;
  return { priceUsd, ...purchasableCredits(priceUsd) };
}

/**
 * Begins a purchase: the page at Stripe where the person pays. The Checkout Session says for whom and how many credits
 * it is, in words that only we can write; `takeStripeEvent` grants them. `pageUrl` is where the person comes back to.
 * Throws `not_ready`, `invalid_request`, `payments_unavailable`.
 */
export async function beginCheckout(
  ctx: Context,
  { accountId, orgId }: { accountId: string; orgId: string },
  { credits, pageUrl }: { credits: number; pageUrl: string },
): Promise<string> {
  const offer = await offerTo(ctx, orgId);
  const { stripeSecretKey } = ctx.config;
  if (offer === null || stripeSecretKey === undefined)
    throw new DomainError('not_ready', 'Buying credits is not set up here for the plan of the organization.');
  const { least, most, priceUsd } = offer;
  if (credits < least || credits > most)
    throw invalid(`One purchase is ${least} to ${most} credits.`, '/credits', `must be ${least}..${most}`);
  const cents = priceInCents(credits, priceUsd);
  const parameters = {
    mode: 'payment',
    client_reference_id: accountId,
    'metadata[governor_credits]': String(credits),
    'metadata[governor_cents]': String(cents),
    // One line of the whole amount, because Stripe counts in whole cents and a credit may cost less.
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': String(cents),
    'line_items[0][price_data][product_data][name]': `${credits.toLocaleString('en')} credits`,
    // Another currency would make another amount of it.
    'adaptive_pricing[enabled]': 'false',
    // A repeat has to be the same request to Stripe, so nothing in it may tell the time.
    success_url: `${pageUrl}?bought=${credits}&checkout={CHECKOUT_SESSION_ID}`,
    cancel_url: pageUrl,
  };
  return createCheckoutSession(ctx, stripeSecretKey, { parameters, idempotencyKey: newId('chk') });
}

/**
 * True once the credits of a Checkout Session are in the ledger of this account: never for one that is not paid, or that
 * belongs to another account. Throws as `catchUp`.
 */
export async function hasArrived(ctx: Context, accountId: string, checkoutId: string): Promise<boolean> {
  await catchUp(ctx, accountId);
  const named = { idk: keyDigest(accountId, 'grant', checkoutId), account_id: accountId };
  return (await ledgerRows(ctx).findOne(named, { projection: { _id: 1 } })) !== null;
}
