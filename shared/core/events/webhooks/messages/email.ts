import type { LinkedMessage, Rendered } from './message.ts';
import { shortened, unlinked } from './text.ts';

/** The longest line of a header (RFC 5322 section 2.1.1), with room for what encoding adds. */
const SUBJECT = 200;

/**
 * A mail: plain text whose only link is our own, and a subject of one line. Its address and how to unsubscribe belong to the webhook
 * (`sending/mail-attempt.ts`).
 */
export function emailMessage({ title, facts, link, at }: LinkedMessage): Rendered {
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  return {
    headers: { 'content-type': 'text/plain; charset=utf-8', subject: shortened(title, SUBJECT) },
    body: [unlinked([title, '', ...lines].join('\n')), ...(link ? [link.join(': ')] : []), '', at].join('\n'),
  };
}
