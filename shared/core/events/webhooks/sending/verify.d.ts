/**
 * Returns true when a delivery comes from the holder of the secret: compares the `X-Service-Signature` header with the HMAC of the
 * body in constant time. Give the body as it came, before any parsing. While you change the secret, give both: one of
 * them has to fit. Never throws.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | undefined,
  secret: string | readonly string[],
): boolean;
