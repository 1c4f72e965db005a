import { hash } from 'node:crypto';

/** SHA-256 over the unambiguous JSON of the parts; 43 characters. */
export function digest(...parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
