/**
 * Whether a delivery comes from the holder of the secret (interface 6.3): compares the `X-Service-Signature` header
 * with the HMAC of the body in constant time. Give the body as it came, before any parsing. Of several secrets one has to
 * match: give the new and the old one while a secret is being changed. Never throws.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | undefined,
  secret: string | readonly string[],
): boolean;
