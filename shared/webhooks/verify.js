import { createHmac, timingSafeEqual } from 'node:crypto';

/** Plain JavaScript, because a receiver imports it from its node_modules, where Node does not strip types. */
export function verifyWebhook(rawBody, header, secret) {
  if (Array.isArray(secret)) return secret.some((one) => verifyWebhook(rawBody, header, one));
  if (typeof header !== 'string' || typeof secret !== 'string' || secret === '') return false;
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
