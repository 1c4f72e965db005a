import { type Express, type NextFunction, type Request, type Response, Router } from 'express';
import { baseUrl, dashboardUrl } from '../../shared/platform/basics/config.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { refuseAllButDashboard } from '../auth/cross-site.ts';
import { mountRoute } from '../basics/express-path.ts';
import type { AnyRoute } from '../basics/route.ts';
import { addressOf } from '../serve/address.ts';
import { answerInTime } from '../serve/answer-in-time.ts';
import type { Guards } from '../serve/exchange.ts';
import { serve } from '../serve/serve.ts';
import { browserSession } from './browser-session.ts';
import { isFile, sendFile, sendGuide, sendPage } from './files.ts';
import { authenticatePerson } from './person.ts';
import { answerInvitation, answerSession } from './session.ts';
import { beginSignIn, endSignIn, sendAway } from './sign-in.ts';
import { signOut } from './sign-out.ts';

/**
 * The dashboard under `/dashboard`: its files and pages, signing in and out, and every route for API keys and people once
 * more, with a cookie session in place of the credential. `/activate`, which devices show, leads there. The guide is below
 * `/guide`, for everybody.
 */
export function mountDashboard(
  app: Express,
  ctx: Context,
  routes: readonly AnyRoute[],
  guards: Guards,
): void {
  const router = Router();
  const session = browserSession(ctx);
  const counted = countAddress(guards);
  router.use(named('/dashboard'), toBaseUrl(ctx), (req, _res, next) => {
    refuseAllButDashboard(req, ctx.config);
    next();
  });
  const own = (handle: (ctx: Context, req: Request, res: Response) => Promise<void>) => [
    counted,
    session,
    (req: Request, res: Response) =>
      answerInTime({ method: req.method === 'POST' ? 'post' : 'get' }, handle(ctx, req, res)),
  ];
  const away = (error: unknown, _req: Request, res: Response, _next: NextFunction) =>
    sendAway(ctx, res, error);
  router.get('/login', own(beginSignIn), away);
  router.get('/callback', own(endSignIn), away);
  router.post('/logout', own(signOut));
  router.get('/session', own(answerSession));
  router.post('/join', own(answerInvitation));
  for (const route of routes.filter(isForPeople)) {
    const path = `/dashboard${route.path}`;
    const handler = serve({ ...route, path }, ctx, { ...guards, authenticate: authenticatePerson });
    mountRoute(router, route, counted, session, handler);
  }
  router.all(['/api', '/api/*rest', '/v1', '/v1/*rest'], nothingHere);
  router.get(['/guide', '/guide/{*path}'], counted, (req, res) => res.redirect(localPath(req.path)));
  router.get('/{*path}', counted, async (req, res) => {
    const path = req.path.slice(1);
    if (isFile(ctx, path)) await sendFile(ctx, path, req, res);
    else sendPage(ctx, res);
  });
  app.get('/', named('/'), counted, (_req, res) => res.redirect('/dashboard/'));
  app.get('/activate', named('/activate'), counted, (req, res) => redirectToActivate(ctx, req, res));
  app.get(['/guide', '/guide/{*path}'], named('/guide'), counted, (req, res) =>
    sendGuide(ctx, req.path.slice('/guide/'.length), req, res),
  );
  app.use('/dashboard', router);
}

/**
 * All that a person may do. Posting signals and asking before a call is for adapters; of what needs their scopes, an admin may
 * close a session, and a member may read the state of the own budgets.
 */
function isForPeople({ auth, path }: AnyRoute): boolean {
  if (auth.kind !== 'api-key') return auth.kind === 'idp';
  if (auth.scope === 'signals:write') return path === '/api/v1/sessions/{id}/close';
  return auth.scope !== 'budgets:check' || path === '/api/v1/me/budget';
}

/** Names these requests for the log: never by the URL, which may hold a code. */
function named(route: string) {
  return (_req: Request, res: Response, next: NextFunction): void => {
    res.locals.route = route;
    next();
  };
}

function countAddress({ limits }: Guards) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    await limits.count(res, { address: addressOf(req) });
    next();
  };
}

/** Redirects from `localhost` to the loopback address of BASE_URL: the cookie is kept for one host only. */
function toBaseUrl(ctx: Context) {
  const base = new URL(baseUrl(ctx.config));
  const others = LOOPBACK.includes(base.hostname) ? LOOPBACK.filter((host) => host !== base.hostname) : [];
  return (req: Request, res: Response, next: NextFunction): void => {
    const isElsewhere = others.includes(req.hostname);
    if (isElsewhere && req.method === 'GET') res.redirect(base.origin + localPath(req.originalUrl));
    else next();
  };
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/** Two slashes at its beginning would name another host. */
function localPath(url: string): string {
  return `/${url.replace(/^[/\\]+/, '')}`;
}

function nothingHere(): never {
  throw new DomainError('not_found', 'There is nothing at this path.');
}

function redirectToActivate(ctx: Context, req: Request, res: Response): void {
  const url = new URL(dashboardUrl(ctx.config, 'activate'));
  const code = req.query.user_code;
  if (typeof code === 'string') url.searchParams.set('user_code', code);
  res.redirect(url.href);
}
