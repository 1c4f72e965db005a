import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** The secrets that the api and the workers share, as environment variables. */
export type Secrets = Record<
  'OPERATOR_TOKEN' | 'API_KEY_PEPPER' | 'CURSOR_SECRET' | 'SESSION_SECRET' | 'WEBHOOK_SECRET_KEYS',
  string
>;

/** New random secrets of 32 bytes each. */
export function makeSecrets(): Secrets {
  return {
    OPERATOR_TOKEN: `ugo_${randomBytes(32).toString('base64url')}`,
    API_KEY_PEPPER: randomBytes(32).toString('base64url'),
    CURSOR_SECRET: randomBytes(32).toString('base64url'),
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    WEBHOOK_SECRET_KEYS: `${newKeyId()}:${randomBytes(32).toString('base64')}`,
  };
}

/** A new Ed25519 private key as JWK (RFC 8037), which signs receipts. */
export function makeSigningKey(): object {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { ...jwk, kid: newKeyId(), alg: 'Ed25519', use: 'sig' };
}

function newKeyId(): string {
  return `k${randomBytes(6).toString('hex')}`;
}
