import { exactText } from './text.ts';

/** RFC 5321 section 4.5.3.1, in octets. */
const LONGEST = 254;
const LONGEST_LOCAL_PART = 64;

const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[\\p{L}\\p{M}\\p{N}]+(?:-+[\\p{L}\\p{M}\\p{N}]+)*';
/** A leading `-` would be an option to a mail program, and a last label of digits an IP address. */
const ADDRESS = new RegExp(`^(?!-)${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+(?!\\p{N}+$)${LABEL}$`, 'u');

/**
 * Checks that a text is one e-mail address that mail can go to: a dot-atom and a domain with a dot (RFC 5321), also with letters
 * beyond ASCII (RFC 6531). No group, quoted text, comment or address literal is one.
 */
export function isEmail(text: string): boolean {
  return (
    Buffer.byteLength(text) <= LONGEST &&
    Buffer.byteLength(text.slice(0, text.lastIndexOf('@'))) <= LONGEST_LOCAL_PART &&
    ADDRESS.test(text) &&
    isPlain(text)
  );
}

/** True when no character only looks like another one: U+212A, a Kelvin sign, is a `K` to NFKC, and even to NFC. */
function isPlain(text: string): boolean {
  return text.normalize('NFKC') === text;
}

/**
 * An e-mail address as it is stored and compared: only A to Z become lower case, every other character stays as it is. So
 * two addresses are equal here only where every mail server that ignores case takes them for equal.
 */
export function foldEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * The mailbox of an address, for a limit: most servers ignore what follows a `+`, and the case. Several mailboxes may
 * become one here, so this says nothing about whose an address is.
 */
export function mailboxOf(email: string): string {
  return email.toLowerCase().replace(/\+[^@]*@/, '@');
}

/** An e-mail address from outside; see `isEmail`. Its case stays as it came. */
export const emailText = exactText
  .max(LONGEST)
  .refine(isPlain, {
    message: 'must not contain characters that stand for others (Unicode NFKC)',
    abort: true,
  })
  .refine(isEmail, 'must be an e-mail address');
