import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Context } from '../../shared/platform/context/context.ts';
import { httpSeconds } from '../basics/metrics.ts';

const GIVEN_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** The request's id: the caller's `X-Request-Id` when it is harmless, else a new one. It is answered and logged. */
export function giveId(req: Request, res: Response): void {
  const given = req.headers['x-request-id'];
  const id = typeof given === 'string' && GIVEN_ID.test(given) ? given : randomUUID();
  res.locals.requestId = id;
  res.setHeader('X-Request-Id', id);
}

/** One log line per request, by route and never by URL: a query may hold a secret. */
export function logWhenClosed(ctx: Context, req: Request, res: Response): void {
  const startedAt = performance.now();
  res.on('close', () => {
    const seconds = (performance.now() - startedAt) / 1_000;
    const route = String(res.locals.route ?? 'none');
    const status = res.writableFinished ? res.statusCode : 499;
    httpSeconds(ctx).observe({ method: req.method, route, status }, seconds);
    ctx.log.info(
      {
        request_id: res.locals.requestId,
        method: req.method,
        route,
        status,
        ms: Math.round(seconds * 1e5) / 100,
        org_id: res.locals.orgId,
        key_id: res.locals.keyId,
      },
      'request',
    );
  });
}
