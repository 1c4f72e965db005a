import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, createdId } from '../../../platform/basics/ids.ts';

/** `ugk_` names an API key (group A), `ugd_` a device token (group B). */
export type CredentialPrefix = 'ugk' | 'ugd';

const ID_LENGTH = 12;
/**
 * A device token's id begins with its account's id (22 characters, without `usr_`), so that a spend finds the account's
 * record without a look-up.
 */
const ACCOUNT_LENGTH = 22;
const ID_LENGTHS = { ugk: ID_LENGTH, ugd: ACCOUNT_LENGTH + ID_LENGTH } as const;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const BASE62_ONLY = /^[0-9A-Za-z]+$/;

/** Mints a credential: prefix, id, 32 random bytes in base62, CRC32 of all before it. It is shown once and kept as a hash. */
export function mintCredential(
  prefix: CredentialPrefix,
  id = newCredentialId(),
  secret: Uint8Array = randomBytes(32),
): { id: string; token: string } {
  const body = `${prefix}_${id}${base62(secret, SECRET_LENGTH)}`;
  return { id, token: body + checksum(body) };
}

/** A new id of an API key: 12 base62 characters, random or following from what is being created (`creating`). */
export function newCredentialId(): string {
  const created = createdId('key');
  return created === null ? base62(randomBytes(9), ID_LENGTH).slice(-ID_LENGTH) : credentialIdOf(created);
}

/** The id of the API key that is created under this id (`derivedId`). */
export function credentialIdOf(created: string): string {
  return created.slice(-ID_LENGTH);
}

/** Mints a device token of an account (`usr_…`). The same `seed` (at least 41 random bytes) gives the same token. */
export function mintDeviceToken(
  accountId: string,
  seed: Uint8Array = randomBytes(41),
): { id: string; token: string } {
  if (!/^usr_[0-9A-Za-z]{22}$/.test(accountId)) throw new Error('An account id is usr_ and 22 characters');
  const own = base62(seed.subarray(0, 9), ID_LENGTH).slice(-ID_LENGTH);
  return mintCredential('ugd', accountId.slice('usr_'.length) + own, seed.subarray(9, 41));
}

export function accountOfToken(tokenId: string): string {
  return `usr_${tokenId.slice(0, ACCOUNT_LENGTH)}`;
}

/** The id inside a well-formed credential, or null, so that a mistyped one never reaches a store. */
export function credentialId(prefix: CredentialPrefix, token: string): string | null {
  const start = prefix.length + 1;
  const length = start + ID_LENGTHS[prefix] + SECRET_LENGTH + CHECKSUM_LENGTH;
  if (token.length !== length || !token.startsWith(`${prefix}_`) || !BASE62_ONLY.test(token.slice(start)))
    return null;
  const body = token.slice(0, -CHECKSUM_LENGTH);
  if (checksum(body) !== token.slice(-CHECKSUM_LENGTH)) return null;
  return token.slice(start, start + ID_LENGTHS[prefix]);
}

/** The HMAC-SHA256 of the whole credential with the deployment's pepper, hex. */
export function credentialHash(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(token).digest('hex');
}

/** True when two hashes are equal, in a time that says nothing about either. */
export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** True for the operator's token, in a time that says nothing about either. */
export function isOperatorToken(given: string, operatorToken: string): boolean {
  return timingSafeEqual(digest(given), digest(operatorToken));
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return base62(bytes, CHECKSUM_LENGTH);
}
