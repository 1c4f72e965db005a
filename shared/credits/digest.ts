import { createHash } from 'node:crypto';

/** SHA-256 over the unambiguous JSON of the parts; 43 characters. */
export function digest(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
