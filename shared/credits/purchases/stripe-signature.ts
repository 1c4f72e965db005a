import { createHmac, timingSafeEqual } from 'node:crypto';

/** Stripe's own libraries take an event for this long after it was signed. A clock may also be behind Stripe's. */
const TOLERANCE_S = 300;

/**
 * Why a `Stripe-Signature` does not prove that Stripe sent these bytes with this secret, or null when it does. It is
 * `t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`. While a secret is rolled there are several v1, of which one
 * has to fit; other schemes are ignored. See https://docs.stripe.com/webhooks#verify-manually
 */
export function faultOfSignature(
  header: string,
  { body, secret, nowMs }: { body: Uint8Array; secret: string; nowMs: number },
): string | null {
  const elements = header.split(',').map((element) => element.split('='));
  const valuesOf = (scheme: string) =>
    elements.filter(([name]) => name?.trim() === scheme).map(([, value = '']) => value.trim());
  const [signedAt, ...others] = valuesOf('t');
  if (signedAt === undefined || others.length > 0 || !/^\d{1,12}$/.test(signedAt))
    return 'The Stripe-Signature has no single time (t).';
  const expected = createHmac('sha256', secret).update(`${signedAt}.`).update(body).digest();
  if (!valuesOf('v1').some((value) => equals(expected, value)))
    return 'The Stripe-Signature (v1) does not fit the body.';
  if (Math.abs(Number(signedAt) - nowMs / 1_000) > TOLERANCE_S)
    return `The Stripe-Signature is more than ${TOLERANCE_S} s away from now.`;
  return null;
}

/** Compares in constant time. What is no 32 bytes in hex fits nothing. */
function equals(expected: Buffer, hex: string): boolean {
  return /^[0-9a-f]{64}$/.test(hex) && timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}
