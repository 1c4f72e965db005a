import { z } from 'zod';
import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { exchange } from '../../platform/outward/exchange.ts';

/** The release of Stripe's API in whose words these requests are written. */
const STRIPE_VERSION = '2025-03-31.basil';
/** A session has some kilobytes. */
const LIMITS = { deadlineMs: 10_000, mostBytes: 1_048_576 };

const checkoutSession = z.object({ url: z.url({ protocol: /^https?$/ }) });
const refusal = z.object({ error: z.object({ type: z.string(), code: z.string().optional() }) });

/**
 * Creates a Checkout Session from its parameters, once per idempotency key, and returns the page where the person pays.
 * Throws `conflict` for a repeat whose parameters have changed, which only the price can, `not_ready` when Stripe refuses the request (a wrong key, an account that may not charge), and
 * `payments_unavailable` when it does not answer, or not to the end, within 10 s.
 */
export async function createCheckoutSession(
  ctx: Context,
  secretKey: string,
  { parameters, idempotencyKey }: { parameters: Record<string, string>; idempotencyKey: string },
): Promise<string> {
  const url = new URL('/v1/checkout/sessions', ctx.config.stripeApiBase);
  const headers = {
    Authorization: `Bearer ${secretKey}`,
    'Idempotency-Key': idempotencyKey,
    'Stripe-Version': STRIPE_VERSION,
  };
  const request = { method: 'POST', headers, body: new URLSearchParams(parameters) };
  const response = await exchange(url, request, LIMITS).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'Stripe does not answer');
    throw unavailable();
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) {
    const parsed = checkoutSession.safeParse(answer);
    if (parsed.success) return parsed.data.url;
  }
  throw refused(ctx, response, answer);
}

/** Logs only the codes of Stripe's answer. */
function refused(ctx: Context, { status, headers }: Response, answer: unknown): DomainError {
  const { type, code } = refusal.safeParse(answer).data?.error ?? {};
  const stripe_request_id = headers.get('request-id');
  ctx.log.error({ status, type, code, stripe_request_id }, 'Stripe made no Checkout Session');
  if (status < 400 || status === 429 || status === 409 || status >= 500) return unavailable();
  if (type === 'idempotency_error')
    return new DomainError(
      'conflict',
      'The price has changed since the first request with this Idempotency-Key. Ask for the price and repeat with another key.',
    );
  return new DomainError('not_ready', 'Stripe refuses to sell for this service. Its operator has to look.');
}

function unavailable(): DomainError {
  return new DomainError('payments_unavailable', 'Stripe cannot be reached. Nothing was charged; try again.');
}
