import { createHmac, timingSafeEqual } from 'node:crypto';

/** Stripe's own libraries take an event for this long after it was signed. A clock may also be behind Stripe's. */
const TOLERANCE_S = 300;

interface Signature {
  signedAt: string;
  digests: readonly string[];
}

/**
 * Reads a `Stripe-Signature` that may prove something about a body: one time, of the last minutes, and a digest. Else
 * returns why it proves nothing. It is `t=<Unix seconds>,v1=<hex>`. While a secret is rolled there are several v1; other
 * schemes are ignored. See https://docs.stripe.com/webhooks#verify-manually
 */
export function readSignature(header: string, nowMs: number): Signature | string {
  const elements = header.split(',').map((element) => element.split('='));
  const valuesOf = (scheme: string) =>
    elements.filter(([name]) => name?.trim() === scheme).map(([, value = '']) => value.trim());
  const [signedAt, ...others] = valuesOf('t');
  if (signedAt === undefined || others.length > 0 || !/^\d{1,12}$/.test(signedAt))
    return 'The Stripe-Signature has no single time (t).';
  if (Math.abs(Number(signedAt) - nowMs / 1_000) > TOLERANCE_S)
    return `The Stripe-Signature is more than ${TOLERANCE_S} s away from now.`;
  const digests = valuesOf('v1').filter((value) => /^[0-9a-f]{64}$/.test(value));
  return digests.length === 0 ? 'The Stripe-Signature has no v1.' : { signedAt, digests };
}

/** Checks that Stripe sent these bytes with this secret: one of the digests is the HMAC-SHA256 of `<t>.<body>`. */
export function provesBody({ signedAt, digests }: Signature, body: Uint8Array, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(`${signedAt}.`).update(body).digest();
  return digests.some((digest) => timingSafeEqual(expected, Buffer.from(digest, 'hex')));
}
