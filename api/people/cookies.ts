import type { IncomingMessage } from 'node:http';

/** The value of a cookie that this service set, or null. Of two of one name the first counts, as RFC 6265 orders them. */
export function parseCookie(req: IncomingMessage, name: string): string | null {
  for (const pair of (req.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}
