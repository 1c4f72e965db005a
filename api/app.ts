import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import type { Context } from '../shared/context.ts';
import { DomainError } from '../shared/errors.ts';
import { mountBoard } from './board.ts';
import { docsRoutes } from './docs.ts';
import { expressPath } from './express-path.ts';
import { createLimits, type Limits } from './limits.ts';
import { sendOAuthError } from './oauth-error.ts';
import { openApiDocument } from './openapi.ts';
import { mountDashboard } from './people/mount-dashboard.ts';
import { sendProblem } from './problem.ts';
import { giveId, logWhenClosed } from './request.ts';
import type { AnyRoute, ApiState } from './route.ts';
import { routes as table } from './routes/index.ts';
import { LONGEST_ANSWER_MS, serve } from './serve.ts';
import { createShedder, type Shedder } from './shed.ts';

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
  const limits = createLimits(ctx.config);
  const shedder = createShedder(ctx.metrics);
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', ctx.config.trustProxyHops);
  app.set('query parser', 'simple');
  const guards = { limits, shedder, longestAnswerMs };
  const routes = [...documented, ...docsRoutes(openApiDocument(documented))];
  const handlers = routes.map((route) => ({ route, handler: serve(route, ctx, guards) }));
  app.use(beginRequest(ctx, handlers));
  mountBoard(app, ctx, limits);
  for (const { route, handler } of handlers) app[route.method](expressPath(route.path), handler);
  mountDashboard(app, ctx, documented, guards);
  refuseOtherMethods(app, routes);
  app.use((_req: Request, _res: Response, next: NextFunction) =>
    next(new DomainError('not_found', 'There is nothing at this path.')),
  );
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => fail(ctx, error, req, res));
  return { app, limits, shedder };
}

/**
 * What every request gets: an id, its line in the log, safe headers. Then a path without parameters is looked up at once
 * instead of being matched against the whole table: all that is one layer, because Express charges for each.
 */
function beginRequest(
  ctx: Context,
  handlers: readonly { route: AnyRoute; handler: RequestHandler }[],
): RequestHandler {
  const exact = new Map(
    handlers
      .filter(({ route }) => !route.path.includes('{'))
      .map(({ route, handler }) => [`${route.method.toUpperCase()} ${route.path}`, handler]),
  );
  const headers = safetyHeaders();
  return (req, res, next) => {
    giveId(req, res);
    logWhenClosed(ctx, req, res);
    for (const [name, value] of headers) res.setHeader(name, value);
    const handler = exact.get(`${req.method} ${req.path}`);
    return handler ? handler(req, res, next) : next();
  };
}

/** What helmet sets, which is the same for every request, computed once. */
function safetyHeaders(): [name: string, value: string][] {
  const headers: [string, string][] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  };
  const set = helmet({ contentSecurityPolicy: strictPolicy });
  set({} as Request, recorder as unknown as Response, (error?: unknown) => {
    if (error) throw error;
  });
  return headers;
}

const strictPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
  },
};

/** 405 with Allow on a path that exists; Express would answer TRACE and OPTIONS by itself. */
function refuseOtherMethods(app: Express, routes: readonly AnyRoute[]): void {
  const byPath = Map.groupBy(routes, (route) => expressPath(route.path));
  for (const [path, those] of byPath) {
    const methods = those.map((route) => route.method.toUpperCase());
    const allow = [
      ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    ].join(', ');
    app.all(path, (req: Request, _res: Response, next: NextFunction) =>
      next(
        new DomainError('method_not_allowed', `${req.method} is not supported here, ${allow} is.`, { allow }),
      ),
    );
  }
}

function fail(ctx: Context, error: unknown, req: Request, res: Response): void {
  const known = error instanceof DomainError;
  if (!known) ctx.log.error({ err: error, request_id: res.locals.requestId }, 'request failed');
  if (res.headersSent) {
    // Half an answer is out: cutting the connection is the only way left to say that it is not whole.
    req.socket.destroy();
    return;
  }
  const send = res.locals.errorStyle === 'oauth' ? sendOAuthError : sendProblem;
  send(res, error, String(res.locals.requestId));
}
