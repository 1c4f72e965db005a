import { createHash } from 'node:crypto';
import { baseUrl, type Config, dashboardUrl } from '../../shared/platform/basics/config.ts';

/**
 * How a cookie of the dashboard is named and kept; `suffix` tells the cookies apart. Browsers keep `__Host-` names for this
 * host alone, and only with Secure, which needs https.
 */
export function cookieSettings(config: Config, suffix = '') {
  const secure = baseUrl(config).startsWith('https:');
  return {
    name: `${secure ? '__Host-' : ''}ug${suffix}`,
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  } as const;
}

/** 32 bytes of SESSION_SECRET for one purpose. */
export function secretFor(config: Config, purpose: string): Uint8Array {
  return createHash('sha256').update(`${purpose}\0${config.sessionSecret}`).digest();
}

/** A browser drops a cookie of more than 4,096 bytes, and with it the sign-in that has to remember the path. */
const LONGEST_RETURN_PATH = 2_000;

/**
 * Where a sign-in may return to: a path under `/dashboard/` of BASE_URL; anything else is Overview. One that is too long to
 * remember loses its parameters.
 */
export function returnPath(config: Config, wanted: unknown): string {
  const home = new URL(dashboardUrl(config));
  if (typeof wanted !== 'string' || !URL.canParse(wanted, home)) return home.pathname;
  const url = new URL(wanted, home);
  const isOurs = url.origin === home.origin && url.pathname.startsWith(home.pathname);
  if (!isOurs) return home.pathname;
  const paths = [url.pathname + url.search + url.hash, url.pathname, home.pathname];
  return paths.find((path) => path.length <= LONGEST_RETURN_PATH) ?? home.pathname;
}
