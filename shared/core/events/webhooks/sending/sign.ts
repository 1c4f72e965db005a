import { createHmac } from 'node:crypto';

export interface Signable {
  /** The envelope's id. */
  eventId: string;
  /** The envelope as it is sent. */
  body: string;
  attempt: number;
  /** Time of the attempt, epoch ms: a receiver's time window applies to this, never to the event's `ts`. */
  atMs: number;
}

/**
 * The headers of an attempt: `X-Service-Signature` by the first secret, and beside it those of Standard Webhooks, whose
 * `webhook-signature` has one signature per secret, in their order.
 */
export function signedHeaders(
  secrets: readonly [string, ...string[]],
  { eventId, body, attempt, atMs }: Signable,
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const content = `${eventId}.${timestamp}.${body}`;
  const standard = secrets.map(
    (secret) => `v1,${createHmac('sha256', standardKey(secret)).update(content).digest('base64')}`,
  );
  return {
    'content-type': 'application/json',
    'user-agent': 'usage-governor-webhooks/1',
    'x-service-signature': `sha256=${createHmac('sha256', secrets[0]).update(body).digest('hex')}`,
    'x-service-attempt': String(attempt),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  };
}

/** As the Standard Webhooks libraries read a secret: `whsec_` and base64 is the decoded bytes, anything else UTF-8. */
function standardKey(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
}
