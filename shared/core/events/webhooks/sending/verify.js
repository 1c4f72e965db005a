import { createHmac, timingSafeEqual } from 'node:crypto';

/** Plain JavaScript, because a receiver imports it from its node_modules, where Node does not strip types. */
export function verifyWebhook(rawBody, header, secret) {
  // A parser that took no body leaves another value in its place.
  const isBody = typeof rawBody === 'string' || ArrayBuffer.isView(rawBody);
  if (typeof header !== 'string' || !isBody) return false;
  const secrets = Array.isArray(secret) ? secret : [secret];
  // Each is compared, so that the time tells nothing of which one fits.
  return secrets.map((each) => isSignedWith(rawBody, header, each)).includes(true);
}

function isSignedWith(rawBody, header, secret) {
  if (typeof secret !== 'string' || secret === '') return false;
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
