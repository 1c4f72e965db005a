import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62 } from '../ids.ts';

/** `ugk_` names an API key (group A), `ugd_` a device token (group B). */
export type CredentialPrefix = 'ugk' | 'ugd';

const ID_LENGTH = 12;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^(ugk|ugd)_[0-9A-Za-z]{${ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new credential: prefix, id, 32 random bytes in base62, CRC32 of all before it. Shown once, kept as a hash. */
export function mintCredential(
  prefix: CredentialPrefix,
  id = newCredentialId(),
): { id: string; token: string } {
  const body = `${prefix}_${id}${base62(randomBytes(32), SECRET_LENGTH)}`;
  return { id, token: body + checksum(body) };
}

export function newCredentialId(): string {
  return base62(randomBytes(9), ID_LENGTH).slice(-ID_LENGTH);
}

/** The id inside a well-formed credential, or null: a typing error never reaches a store. */
export function credentialId(prefix: CredentialPrefix, token: string): string | null {
  if (!SHAPE.test(token) || !token.startsWith(`${prefix}_`)) return null;
  const body = token.slice(0, -CHECKSUM_LENGTH);
  if (checksum(body) !== token.slice(-CHECKSUM_LENGTH)) return null;
  return token.slice(prefix.length + 1, prefix.length + 1 + ID_LENGTH);
}

/** HMAC-SHA256 of the whole credential with the deployment's pepper, hex. */
export function credentialHash(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(token).digest('hex');
}

export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return base62(bytes, CHECKSUM_LENGTH);
}
