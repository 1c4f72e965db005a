import { memberRows } from '../../core/accounts/organizations/model.ts';
import { catchUp } from '../../core/credits/ledger/catch-up.ts';
import { ensureAccount } from '../../core/credits/ledger/ensure-account.ts';
import { grantAudited } from '../../core/credits/ledger/grant-credits.ts';
import { purchaseEvents } from '../../core/credits/metrics.ts';
import { paidCheckoutRows } from '../../core/credits/model.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DomainError, isCode, isDuplicateKey } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { actionOf, type StripeAction } from './stripe-event.ts';
import { provesBody, readSignature } from './stripe-signature.ts';

/** The outcome of an event of Stripe. `refused`: it is for us, and the operator has to check it. */
export const OUTCOMES = ['granted', 'repeated', 'unpaid', 'ignored', 'refused'] as const;
type Outcome = (typeof OUTCOMES)[number];

/**
 * Takes an event that Stripe has signed, and grants what a paid Checkout Session is for, once per session. Throws
 * `not_ready` without a secret, `invalid_signature`, `malformed_json`, and as `grantCredits` and `catchUp` when the grant
 * could not be stored in Redis and the ledger: then Stripe sends the event again.
 */
export async function takeStripeEvent(
  ctx: Context,
  { body, signature }: { body: Uint8Array; signature: string },
): Promise<Outcome> {
  const { secret, proof } = expectSignature(ctx, signature);
  if (!provesBody(proof, body, secret))
    throw new DomainError('invalid_signature', 'The Stripe-Signature (v1) does not fit the body.');
  try {
    const outcome = await carryOut(ctx, actionOf(parse(body)));
    purchaseEvents(ctx).inc({ outcome });
    return outcome;
  } catch (error) {
    purchaseEvents(ctx).inc({ outcome: 'failed' });
    throw error;
  }
}

/** Reads how a body is checked. Throws `not_ready` without a secret, and `invalid_signature` for what proves no body. */
export function expectSignature(ctx: Context, signature: string) {
  const { stripeWebhookSecret: secret } = ctx.config;
  if (secret === undefined)
    throw new DomainError('not_ready', 'Events of Stripe are not set up here (STRIPE_WEBHOOK_SECRET).');
  const proof = readSignature(signature, ctx.clock.now());
  if (typeof proof === 'string') throw new DomainError('invalid_signature', proof);
  return { secret, proof };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    throw new DomainError('malformed_json', 'The body is not valid JSON.');
  }
}

async function carryOut(ctx: Context, action: StripeAction): Promise<Outcome> {
  if (action.kind === 'grant') return grant(ctx, action);
  return action.kind === 'refuse' ? refuse(ctx, action.checkoutId, action.why) : action.kind;
}

/** The Checkout Session is the idempotency key: the same that an operator uses who grants it by hand. */
async function grant(ctx: Context, action: StripeAction & { kind: 'grant' }): Promise<Outcome> {
  const { checkoutId, accountId, credits, cents } = action;
  const member = await memberRows(ctx).findOne({ _id: accountId });
  if (!member || member.removed_at !== null)
    return refuse(ctx, checkoutId, `no member has the account ${accountId}`);
  const owner = await ownerOf(ctx, checkoutId, accountId);
  if (owner !== accountId)
    return refuse(ctx, checkoutId, `it belongs to the account ${owner}, and an event names ${accountId}`);
  await ensureAccount(ctx, member);
  const lot = { accountId, bucket: 'paid', amount: credits, idempotencyKey: checkoutId } as const;
  try {
    const { replayed } = await grantAudited(ctx, member, lot, { checkout: checkoutId, cents });
    // Stripe sends an event that was answered never again: a Redis that fails over must not lose what was paid.
    await catchUp(ctx, accountId);
    return replayed ? 'repeated' : 'granted';
  } catch (error) {
    if (!isCode(error, 'idempotency_key_reused')) throw error;
    return refuse(ctx, checkoutId, 'another number of credits was granted for this Checkout Session by hand');
  }
}

/** The account that a Checkout Session is granted to: the one of its first event. */
async function ownerOf(ctx: Context, checkoutId: string, accountId: string): Promise<string> {
  const row = { _id: checkoutId, account_id: accountId, paid_at: dateAt(ctx.clock.now()) };
  try {
    await paidCheckoutRows(ctx).insertOne(row);
    return accountId;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return (await paidCheckoutRows(ctx).findOne({ _id: checkoutId }))?.account_id ?? accountId;
  }
}

function refuse(ctx: Context, checkout: string, why: string): Outcome {
  ctx.log.error({ checkout, why }, 'a paid Checkout Session was not granted: refund it, or grant it by hand');
  return 'refused';
}
