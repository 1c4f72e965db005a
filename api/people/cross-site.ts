import type { NextFunction, Request, Response } from 'express';
import { baseUrl } from '../../shared/platform/basics/config.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Lets a change through only when the dashboard itself sends it: the browser says so (`Sec-Fetch-Site`, or `Origin` where
 * that is missing), and a header is there that no form of another site can send. Throws `cross_site`.
 */
export function refuseCrossSite(ctx: Context) {
  const origin = new URL(baseUrl(ctx.config)).origin;
  return (req: Request, _res: Response, next: NextFunction): void => {
    const site = req.get('sec-fetch-site');
    const isOurs = site === undefined ? req.get('origin') === origin : site === 'same-origin';
    if (!SAFE.has(req.method) && !(isOurs && req.get('x-requested-with') === 'dashboard')) throw crossSite();
    next();
  };
}

function crossSite(): DomainError {
  return new DomainError(
    'cross_site',
    'A change needs Sec-Fetch-Site: same-origin (or our Origin) and X-Requested-With: dashboard.',
  );
}
