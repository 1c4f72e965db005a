import { AsyncLocalStorage } from 'node:async_hooks';
import { hash, randomFillSync } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export type IdPrefix =
  | 'org'
  | 'usr'
  | 'inv'
  | 'key'
  | 'ses'
  | 'hld'
  | 'evt'
  | 'dlv'
  | 'whk'
  | 'bud'
  | 'rai'
  | 'bwn'
  | 'bfi'
  | 'res'
  | 'rfs'
  | 'bal'
  | 'anm'
  | 'dev'
  | 'aud'
  | 'lot'
  | 'chk'
  | 'src'
  | 'pr'
  | 'dst'
  | 'prl'
  | 'rpc'
  | 'run';

const creation = new AsyncLocalStorage<{ prefix: IdPrefix; seed: string }>();

/**
 * Runs `work`, which creates one thing with an id of this prefix. That id is `derivedId(prefix, seed)`, so that a second
 * run with the same seed meets the primary key of the first instead of making another one.
 */
export function creating<Result>(prefix: IdPrefix, seed: string, work: () => Result): Result {
  return creation.run({ prefix, seed }, work);
}

/** A new identifier: prefix, then 128 random bits in base62 (22 characters). See `creating` for when it is not random. */
export function newId(prefix: IdPrefix): string {
  return createdId(prefix) ?? `${prefix}_${base62(random128(), 22)}`;
}

let ordered = 0;

/** A new identifier that sorts behind those that this process has made so: rows of one millisecond are listed in their order. */
export function orderedId(prefix: IdPrefix): string {
  ordered += 1;
  const count = ordered.toString(36).padStart(7, '0');
  return `${prefix}_${count}${base62(random128(), 22).slice(count.length)}`;
}

// The system is asked for 256 ids at once: asking costs more than all the rest of an id.
const randomness = Buffer.alloc(4_096);
let unusedFrom = randomness.length;

function random128(): Buffer {
  if (unusedFrom === randomness.length) {
    randomFillSync(randomness);
    unusedFrom = 0;
  }
  unusedFrom += 16;
  return randomness.subarray(unusedFrom - 16, unusedFrom);
}

/** The id of what is being created (`creating`); null when nothing of this prefix is. */
export function createdId(prefix: IdPrefix): string | null {
  const created = creation.getStore();
  return created?.prefix === prefix ? derivedId(prefix, created.seed) : null;
}

/**
 * The identifier of something that has exactly one cause: the same parts give the same id, so a repeat meets
 * the unique index instead of making a second one. 128 bits of SHA-256 over the unambiguous JSON of the parts.
 */
export function derivedId(prefix: IdPrefix, ...parts: readonly (string | number)[]): string {
  return `${prefix}_${base62(sha256(parts).subarray(0, 16), 22)}`;
}

/**
 * A primary key made of what makes a row unique: the first `bytes` of SHA-256 over the JSON of the parts, base64url. Three
 * bytes are four characters, whatever comes after them.
 */
export function hashedKey(bytes: 12 | 18 | 24, ...parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, (bytes / 3) * 4);
}

function sha256(parts: readonly (string | number)[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}

/** Big-endian base62 of `bytes`, left-padded to `length`. */
export function base62(bytes: Uint8Array, length: number): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = '';
  while (value > 0n) {
    text = BASE62.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text.padStart(length, '0');
}
