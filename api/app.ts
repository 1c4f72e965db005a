import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { baseUrl } from '../shared/platform/basics/config.ts';
import { DomainError } from '../shared/platform/basics/errors.ts';
import type { Context } from '../shared/platform/context/context.ts';
import { allowOrigins, CROSS_ORIGIN_PATHS } from './auth/cross-origin.ts';
import { expressPath, mountRoute } from './basics/express-path.ts';
import { sendRpcError } from './basics/json-rpc.ts';
import { sendOAuthError } from './basics/oauth-error.ts';
import { problemOf, sendProblem } from './basics/problem.ts';
import { isTooLongToDrop } from './basics/read-bytes.ts';
import type { AnyRoute, ApiState } from './basics/route.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { openApiDocument } from './docs/openapi.ts';
import { mountBoard } from './operations/board.ts';
import { sendOtlpError } from './otlp/answer.ts';
import { mountDashboard } from './people/mount-dashboard.ts';
import { routes as table } from './routes/index.ts';
import { createLimits, type Limits } from './serve/limits.ts';
import { giveId, logWhenClosed } from './serve/request.ts';
import { LONGEST_ANSWER_MS, serve } from './serve/serve.ts';
import { createShedder, type Shedder } from './serve/shed.ts';

export interface Api {
  app: Express;
  limits: Limits;
  shedder: Shedder;
}

/** The middleware in its order, then every endpoint of the table. */
export function createApi(
  ctx: Context,
  state: ApiState,
  documented: readonly AnyRoute[] = table(state),
  longestAnswerMs: number = LONGEST_ANSWER_MS,
): Api {
  const app = express();
  const limits = createLimits(ctx);
  const shedder = createShedder(ctx.metrics);
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', ctx.config.trustProxyHops);
  app.set('query parser', 'simple');
  const guards = { limits, shedder, longestAnswerMs };
  const routes = [...documented, ...docsRoutes(() => openApiDocument(documented, baseUrl(ctx.config)))];
  app.use((req: Request, res: Response, next: NextFunction) => {
    giveId(req, res);
    logWhenClosed(ctx, req, res);
    for (const [name, value] of SAFETY_HEADERS) res.setHeader(name, value);
    next();
  });
  app.use(CROSS_ORIGIN_PATHS, allowOrigins(ctx.config));
  mountBoard(app, ctx, limits);
  for (const route of mostUrgentFirst(routes)) mountRoute(app, route, serve(route, ctx, guards));
  mountDashboard(app, ctx, documented, guards);
  refuseOtherMethods(app, routes);
  app.use((_req: Request, _res: Response, next: NextFunction) =>
    next(new DomainError('not_found', 'There is no such path.')),
  );
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => fail(ctx, error, req, res));
  return { app, limits, shedder };
}

/** Express tries one path after the other: those that are asked before each call come first. */
function mostUrgentFirst(routes: readonly AnyRoute[]): AnyRoute[] {
  const isUrgent = ({ priority }: AnyRoute) => priority === 'consume';
  return [...routes.filter(isUrgent), ...routes.filter((route) => !isUrgent(route))];
}

/** Headers of every answer. A page that loads scripts sets a policy of its own. */
const SAFETY_HEADERS = Object.entries({
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
});

/** Answers 405 with Allow on every path that exists. Express would answer TRACE and OPTIONS by itself. */
function refuseOtherMethods(app: Express, routes: readonly AnyRoute[]): void {
  const limited = routes.filter(({ method }) => method !== 'any');
  const byPath = [...Map.groupBy(limited, (route) => expressPath(route.path))];
  // `/budgets/check` is also a `/budgets/:id`: what it is itself comes first.
  const whole = byPath.filter(([path]) => !path.includes(':'));
  const withParameters = byPath.filter(([path]) => path.includes(':'));
  for (const [path, those] of [...whole, ...withParameters]) {
    const methods = those.map((route) => route.method.toUpperCase());
    const allow = [
      ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    ].join(', ');
    app.all(path, (req: Request, _res: Response, next: NextFunction) =>
      next(
        new DomainError('method_not_allowed', `${req.method} is not supported on this path. Use ${allow}.`, {
          allow,
        }),
      ),
    );
  }
}

function fail(ctx: Context, error: unknown, req: Request, res: Response): void {
  const { code, status } = problemOf(error);
  const request_id = res.locals.requestId;
  // A parser's error quotes the body, which may hold a secret: of callers' mistakes only the code is logged.
  if (status < 500) ctx.log.debug({ code, request_id }, 'request refused');
  else if (!(error instanceof DomainError)) ctx.log.error({ err: error, request_id }, 'request failed');
  if (res.headersSent) {
    // A part of the answer is out: cutting the connection is the only way left to say that it is not whole.
    req.socket.destroy();
    return;
  }
  if (isTooLongToDrop(req)) res.setHeader('Connection', 'close');
  if (res.locals.errorStyle === 'oauth') sendOAuthError(res, error);
  else if (res.locals.errorStyle === 'otlp') sendOtlpError(res, error);
  else if (res.locals.errorStyle === 'json-rpc') sendRpcError(res, error);
  else sendProblem(res, error, String(res.locals.requestId));
}
