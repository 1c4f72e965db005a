import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Config } from '../platform/basics/config.ts';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The secret of a webhook as it is stored: `v1.<key id>.<iv, tag and ciphertext>`, good for this webhook only. */
export function sealSecret(config: Config, webhookId: string, secret: string): string {
  const { id, key } = currentKey(config);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(webhookId),
  );
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `v1.${id}.${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
}

const OPENED_AT_MOST = 1_000;
const opened = new WeakMap<Config, Map<string, string>>();

/** As `openSecret`, which costs as much as signing does: remembers what it opened last. */
export function openSecretOnce(config: Config, webhookId: string, sealed: string): string {
  const known = opened.get(config) ?? new Map<string, string>();
  opened.set(config, known);
  const key = `${webhookId} ${sealed}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const secret = openSecret(config, webhookId, sealed);
  if (known.size >= OPENED_AT_MOST) known.clear();
  known.set(key, secret);
  return secret;
}

/** Throws when the key is not in the ring, or the blob was changed or belongs to another webhook. */
export function openSecret(config: Config, webhookId: string, sealed: string): string {
  const [, id = '', blob = ''] = sealed.split('.');
  const key = keyRing(config).get(id);
  if (!key)
    throw new Error(
      `The secret of ${webhookId} is sealed with the key "${id}", which WEBHOOK_SECRET_KEYS does not have.`,
    );
  const bytes = Buffer.from(blob, 'base64url');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(webhookId))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  );
}

/** Whether the current key, the first of the ring, sealed this. */
export function isSealedByCurrentKey(config: Config, sealed: string): boolean {
  return sealed.split('.')[1] === currentKey(config).id;
}

function currentKey(config: Config): { id: string; key: Buffer } {
  const [first] = keyRing(config);
  if (!first) throw new Error('WEBHOOK_SECRET_KEYS is empty');
  return { id: first[0], key: first[1] };
}

const rings = new WeakMap<Config, Map<string, Buffer>>();

function keyRing(config: Config): Map<string, Buffer> {
  const known = rings.get(config);
  if (known) return known;
  const ring = new Map(
    config.webhookSecretKeys.split(',').map((entry) => {
      const [id = '', key = ''] = entry.split(':');
      return [id, Buffer.from(key, 'base64')] as const;
    }),
  );
  rings.set(config, ring);
  return ring;
}
