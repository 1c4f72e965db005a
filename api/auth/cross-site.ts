import type { IncomingMessage } from 'node:http';
import { baseUrl, type Config } from '../../shared/platform/basics/config.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';

/** Refuses a change that a page of another site asks for: a browser sends what it keeps for this site along. Throws `cross_site`. */
export function refuseCrossSite(req: IncomingMessage, config: Config): void {
  if (isChange(req) && !['same-origin', 'none'].includes(siteOf(req, config)))
    throw new DomainError('cross_site', 'A page of another site asked for this change.');
}

/**
 * Lets a change through only when the dashboard itself sends it: the browser says so, and a header is there that no form of
 * another site can send. Throws `cross_site`.
 */
export function refuseAllButDashboard(req: IncomingMessage, config: Config): void {
  if (!isChange(req)) return;
  if (siteOf(req, config) !== 'same-origin' || req.headers['x-requested-with'] !== 'dashboard')
    throw new DomainError(
      'cross_site',
      'A change needs Sec-Fetch-Site: same-origin (or our Origin) and X-Requested-With: dashboard.',
    );
}

function isChange({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** The site of the page that asks, from Sec-Fetch-Site or at least from the Origin. `none`: no page, or no browser. */
function siteOf({ headers }: IncomingMessage, config: Config): string {
  const { origin } = headers;
  const byOrigin = origin === new URL(baseUrl(config)).origin ? 'same-origin' : 'cross-site';
  return headers['sec-fetch-site'] ?? (origin === undefined ? 'none' : byOrigin);
}
