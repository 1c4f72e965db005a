import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import { baseUrl } from '../shared/platform/basics/config.ts';
import { DomainError } from '../shared/platform/basics/errors.ts';
import type { Context } from '../shared/platform/context/context.ts';
import { expressPath } from './basics/express-path.ts';
import { sendOAuthError } from './basics/oauth-error.ts';
import { problemOf, sendProblem } from './basics/problem.ts';
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
  const routes = [...documented, ...docsRoutes(openApiDocument(documented, baseUrl(ctx.config)))];
  const handlers = routes.map((route) => ({ route, handler: serve(route, ctx, guards) }));
  app.use(beginRequest(ctx, handlers));
  mountBoard(app, ctx, limits);
  for (const { route, handler } of handlers) app[route.method](expressPath(route.path), handler);
  mountDashboard(app, ctx, documented, guards);
  refuseOtherMethods(app, routes);
  app.use((_req: Request, _res: Response, next: NextFunction) =>
    next(new DomainError('not_found', 'There is no such path.')),
  );
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => fail(ctx, error, req, res));
  return { app, limits, shedder };
}

/**
 * Gives every request an id, its log line and safe headers. Then a path without parameters is looked up at once instead
 * of being matched against the whole table. All that is one layer, because each layer of Express costs time.
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

/** The headers that helmet sets. They are the same for every request, so they are computed once. */
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

/** Answers 405 with Allow on every path that exists. Express would answer TRACE and OPTIONS by itself. */
function refuseOtherMethods(app: Express, routes: readonly AnyRoute[]): void {
  const byPath = Map.groupBy(routes, (route) => expressPath(route.path));
  for (const [path, those] of byPath) {
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
  // The rest of the body is still to come, and nobody will read it.
  if (isHalfSent(req)) res.setHeader('Connection', 'close');
  if (res.locals.errorStyle === 'oauth') sendOAuthError(res, error);
  else if (res.locals.errorStyle === 'otlp') sendOtlpError(res, error);
  else sendProblem(res, error, String(res.locals.requestId));
}

function isHalfSent(req: Request): boolean {
  const announced =
    req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined;
  return announced && !req.complete;
}
