import { createHash } from 'node:crypto';
import { baseUrl, type Config } from '../../shared/platform/basics/config.ts';

export interface CookieSettings {
  /** `__Host-` names are kept by browsers for this host alone, and only with Secure. */
  name: string;
  isSecure: boolean;
}

/** How a cookie of the dashboard is named and kept; `suffix` tells the cookies apart. Without https there is no Secure. */
export function cookieSettings(config: Config, suffix = ''): CookieSettings {
  const isSecure = baseUrl(config).startsWith('https:');
  return { name: `${isSecure ? '__Host-' : ''}ug${suffix}`, isSecure };
}

/** A URL of the dashboard, of BASE_URL and never of a request's Host. */
export function dashboardUrl(config: Config, path = ''): string {
  return `${baseUrl(config)}/dashboard/${path}`;
}

/** 32 bytes of SESSION_SECRET for one purpose. */
export function secretFor(config: Config, purpose: string): Uint8Array {
  return createHash('sha256').update(`${purpose}\0${config.sessionSecret}`).digest();
}

/** Where a sign-in may return to: a path under `/dashboard/` of BASE_URL; anything else is Overview. */
export function returnPath(config: Config, wanted: unknown): string {
  const home = new URL(dashboardUrl(config));
  if (typeof wanted !== 'string' || !URL.canParse(wanted, home)) return home.pathname;
  const url = new URL(wanted, home);
  const isOurs = url.origin === home.origin && url.pathname.startsWith(home.pathname);
  return isOurs ? url.pathname + url.search + url.hash : home.pathname;
}
