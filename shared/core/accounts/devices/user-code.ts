import { randomInt } from 'node:crypto';

/** RFC 8628 section 6.1: no vowels, so no words; 20^8 codes, 34.5 bits. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const SHAPE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** A new user code as it is stored: eight letters. */
export function newUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** As people read it: `BCDF-GHJK`. */
export function showUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** A typed code as it is stored, or null when it can be no code: case, spaces and dashes do not matter. */
export function parseUserCode(typed: string): string | null {
  const code = typed.replace(/[\s\p{Pd}_.]/gu, '').toUpperCase();
  return SHAPE.test(code) ? code : null;
}
