import type { Express, NextFunction, Request, Response } from 'express';
import type { Context } from '../../shared/platform/context/context.ts';
import { perContext } from '../../shared/platform/context/per-context.ts';
import { JOBS } from '../../shared/tables/jobs.ts';
import { unauthorized } from '../auth/bearer.ts';
import { refuseCrossSite } from '../auth/cross-site.ts';
import { isOperator } from '../auth/operator.ts';
import type { Limits } from '../serve/limits.ts';

const PATH = '/admin/queues';

// bull-board's own files, no inline script, and nothing from other hosts.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'";

/** Its page asks for fonts of another host, which the policy refuses: the system's do. */
const FOREIGN_FONTS = /<link href="https:\/\/fonts\.[^>]*>/;

/** Mounts bull-board behind the operator token: it has no authentication of its own. */
export function mountBoard(app: Express, ctx: Context, limits: Limits): void {
  const boardOf = perContext(openBoard);
  app.use(PATH, guard(ctx, limits), async (req, res, next) => {
    const board = await boardOf(ctx);
    board(req, res, next);
  });
}

/** Opens it for the first operator who looks, who waits about 0.1 s for it: no other process loads its libraries. */
async function openBoard(ctx: Context): Promise<Express> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(PATH);
  createBullBoard({
    queues: JOBS.map(({ kind }) => new BullMQAdapter(ctx.queues.of(kind))),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'usage-governor' } },
  });
  const board: Express = serverAdapter.getRouter();
  board.disable('x-powered-by');
  return board;
}

function guard(ctx: Context, limits: Limits) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    res.locals.route = PATH;
    if (!isOperator(req, ctx.config.operatorToken)) {
      await limits.badCredentials.count(req);
      res.set('WWW-Authenticate', 'Basic realm="usage-governor operators"');
      throw unauthorized();
    }
    refuseCrossSite(req, ctx.config);
    res.set('Content-Security-Policy', policy);
    const send = res.send.bind(res);
    res.send = (body) => send(typeof body === 'string' ? body.replace(FOREIGN_FONTS, '') : body);
    next();
  };
}
