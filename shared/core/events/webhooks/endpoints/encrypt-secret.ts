import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Config } from '../../../../platform/basics/config.ts';
import type { Webhook } from './model.ts';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the secret of a webhook: `v1.<key id>.<iv, tag and ciphertext>`, which decrypts for this webhook only. */
export function encryptSecret(config: Config, webhookId: string, secret: string): string {
  const { id, key } = currentKey(config);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(webhookId),
  );
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `v1.${id}.${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
}

/** Decrypts a secret. Throws when its key is not in the ring, or the blob was changed or belongs to another webhook. */
export function decryptSecret(config: Config, webhookId: string, encrypted: string): string {
  const [, id = '', blob = ''] = encrypted.split('.');
  const key = keyRing(config).get(id);
  if (!key)
    throw new Error(
      `The secret of ${webhookId} is encrypted with the key "${id}", which WEBHOOK_SECRET_KEYS does not have.`,
    );
  const bytes = Buffer.from(blob, 'base64url');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(webhookId))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  );
}

/** The secrets that sign an attempt at `nowMs` (epoch ms), the current one first. Throws when a key is not in the ring. */
export function signingSecrets(
  config: Config,
  { _id, secret, old_secret, old_secret_until }: Webhook,
  nowMs: number,
): [string, ...string[]] {
  const current = decryptSecret(config, _id, secret);
  if (old_secret === null || old_secret_until === null || old_secret_until.getTime() <= nowMs)
    return [current];
  return [current, decryptSecret(config, _id, old_secret)];
}

/** True when the key that encrypted this is in the ring. */
export function hasKeyOf(config: Config, encrypted: string): boolean {
  return keyRing(config).has(encrypted.split('.')[1] ?? '');
}

/** True when the current key, the first of the ring, encrypted this. */
export function isEncryptedByCurrentKey(config: Config, encrypted: string): boolean {
  return encrypted.split('.')[1] === currentKey(config).id;
}

function currentKey(config: Config): { id: string; key: Buffer } {
  const [first] = keyRing(config);
  if (!first) throw new Error('WEBHOOK_SECRET_KEYS is empty');
  return { id: first[0], key: first[1] };
}

function keyRing(config: Config): Map<string, Buffer> {
  return new Map(
    config.webhookSecretKeys.split(',').map((entry) => {
      const [id = '', key = ''] = entry.split(':');
      return [id, Buffer.from(key, 'base64')] as const;
    }),
  );
}
