import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { CodeHostProvider } from '../model.ts';

export type ReadHeader = (name: string) => string | undefined;

/** How far the time of a signature of GitLab may be from now. */
const TOLERANCE_S = 300;

/**
 * Checks that a code host has sent these bytes with this secret. Returns null, or why it is not proven. Compares in constant time.
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 * https://docs.gitlab.com/user/project/integrations/webhooks/#verify-webhook-signatures
 * https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/#Secure-webhooks
 */
export function refuseProof(
  provider: CodeHostProvider,
  header: ReadHeader,
  body: Uint8Array,
  { secret, nowMs }: { secret: string; nowMs: number },
): string | null {
  if (provider === 'github') return refuseHubSignature(header, 'X-Hub-Signature-256', body, secret);
  if (provider === 'bitbucket') return refuseHubSignature(header, 'X-Hub-Signature', body, secret);
  if (header('webhook-signature') === undefined) return refuseToken(header, secret);
  return refuseStandardSignature(header, body, secret, nowMs);
}

const HUB_SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Returns true for headers with a proof of the form of any provider: of all others no body needs to be read. */
export function hasProof(header: ReadHeader): boolean {
  const isHub = ['X-Hub-Signature-256', 'X-Hub-Signature'].some((name) =>
    HUB_SIGNATURE.test(header(name) ?? ''),
  );
  return isHub || Boolean(header('webhook-signature')) || Boolean(header('X-Gitlab-Token'));
}

function refuseHubSignature(
  header: ReadHeader,
  name: string,
  body: Uint8Array,
  secret: string,
): string | null {
  const digest = HUB_SIGNATURE.exec(header(name) ?? '')?.[1];
  if (digest === undefined) return `The header ${name} is not sha256= and 64 hex digits.`;
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(digest, 'hex')) ? null : `The ${name} does not fit the body.`;
}

/** GitLab without a signing token sends the secret itself. */
function refuseToken(header: ReadHeader, secret: string): string | null {
  const token = header('X-Gitlab-Token');
  if (token === undefined) return 'There is neither a webhook-signature nor an X-Gitlab-Token.';
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(token), digest(secret)) ? null : 'The X-Gitlab-Token is another one.';
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function refuseStandardSignature(
  header: ReadHeader,
  body: Uint8Array,
  secret: string,
  nowMs: number,
): string | null {
  const id = header('webhook-id') ?? '';
  const timestamp = header('webhook-timestamp') ?? '';
  if (id === '' || !/^\d{1,12}$/.test(timestamp))
    return 'The webhook-id or the webhook-timestamp is missing.';
  if (Math.abs(Number(timestamp) - nowMs / 1_000) > TOLERANCE_S)
    return `The webhook-timestamp is more than ${TOLERANCE_S} s away from now.`;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const digests = (header('webhook-signature') ?? '')
    .split(' ')
    .flatMap((one) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1] ?? []);
  const isProven = digests.some((digest) => timingSafeEqual(expected, Buffer.from(digest, 'base64')));
  return isProven ? null : 'The webhook-signature (v1) does not fit the body.';
}
