import { createHmac } from 'node:crypto';
import { foldEmail } from '../platform/basics/email.ts';
import { base62 } from '../platform/basics/ids.ts';
import type { PostedSignal } from './posted.ts';

/** Whom a claim names. Members go by their lower-case e-mail. */
export interface Directory {
  orgId: string;
  /** The one user of a bound key. */
  boundUserId: string | null;
  userIdByEmail: ReadonlyMap<string, string>;
  /** `mailKey(...)`. */
  mailKey: Buffer;
}

/** The key under which e-mails of strangers are hashed. */
export function mailKey(pepper: string): Buffer {
  return createHmac('sha256', pepper).update('e-mails of users who are no members').digest();
}

/**
 * The signal with its user's id: the bound key's user; else of an e-mail that member's id, or a hash of it; else what
 * the tool wrote. No e-mail is left in it.
 */
export function nameUser(signal: PostedSignal, directory: Directory): PostedSignal {
  if (directory.boundUserId !== null) return { ...signal, user_id: directory.boundUserId };
  if (!signal.user_id?.includes('@')) return signal;
  const email = normalEmail(signal.user_id);
  return { ...signal, user_id: directory.userIdByEmail.get(email) ?? strangerId(email, directory) };
}

export function normalEmail(email: string): string {
  return foldEmail(email.trim());
}

/** `mail_` and 22 characters: 128 bits of HMAC-SHA256 over organization and e-mail. */
function strangerId(email: string, { orgId, mailKey: key }: Directory): string {
  const digest = createHmac('sha256', key)
    .update(JSON.stringify([orgId, email]))
    .digest();
  return `mail_${base62(digest.subarray(0, 16), 22)}`;
}
