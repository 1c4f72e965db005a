import { z } from 'zod';
import { MOST_CREDITS } from './price.ts';

/** The events that may say that a Checkout Session was paid: https://docs.stripe.com/checkout/fulfillment */
const PAYING_EVENTS: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
]);

const event = z.object({ type: z.string(), data: z.object({ object: z.unknown() }) });

/** A Checkout Session that `beginCheckout` has made: no other has these metadata. */
const ours = z.object({ metadata: z.object({ governor_credits: z.string() }) });

const whole = z
  .string()
  .regex(/^[1-9]\d{0,9}$/)
  .transform(Number);
const credits = whole.refine((count) => count <= MOST_CREDITS, `must be at most ${MOST_CREDITS}`);
const checkoutSession = z.object({
  id: z.string().min(1).max(128),
  payment_status: z.string(),
  mode: z.literal('payment'),
  currency: z.literal('usd'),
  amount_total: z.int(),
  client_reference_id: z.string().min(1).max(128),
  metadata: z.object({ governor_credits: credits, governor_cents: whole }),
});

/** The action that an event asks for. */
export type StripeAction =
  | { kind: 'grant'; checkoutId: string; accountId: string; credits: number; cents: number }
  /** It is for us and cannot be carried out: `why` is for the operator. */
  | { kind: 'refuse'; checkoutId: string; why: string }
  | { kind: 'unpaid' | 'ignored' };

/**
 * Decides about an event. We wrote the number of credits and their price into the Checkout Session when it was made;
 * Stripe lets no payer change that. Sessions of others at the same Stripe account are ignored.
 */
export function actionOf(parsed: unknown): StripeAction {
  const known = event.safeParse(parsed);
  if (!known.success || !PAYING_EVENTS.has(known.data.type)) return { kind: 'ignored' };
  const { object } = known.data.data;
  if (!ours.safeParse(object).success) return { kind: 'ignored' };
  const session = checkoutSession.safeParse(object);
  if (!session.success) return { kind: 'refuse', checkoutId: idOf(object), why: whyNot(session.error) };
  const {
    id: checkoutId,
    payment_status,
    client_reference_id: accountId,
    metadata,
    amount_total,
  } = session.data;
  if (payment_status !== 'paid') return { kind: 'unpaid' };
  const { governor_credits, governor_cents: cents } = metadata;
  if (amount_total < cents)
    return { kind: 'refuse', checkoutId, why: `${amount_total} of ${cents} cents were paid` };
  return { kind: 'grant', checkoutId, accountId, credits: governor_credits, cents: amount_total };
}

function idOf(object: unknown): string {
  return z.object({ id: z.string().max(128) }).safeParse(object).data?.id ?? '';
}

function whyNot(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
