import type { Request, Response } from 'express';
import type { Context } from '../../shared/platform/context/context.ts';
import type { AnyRoute, Auth, PrincipalOf } from '../basics/route.ts';
import type { Limits } from './limits.ts';
import type { Shedder } from './shed.ts';

/** The protection of a process from its callers, made once for all routes. */
export interface Guards {
  limits: Limits;
  shedder: Shedder;
  /** A streamed answer that lasts longer is cut. */
  longestAnswerMs: number;
  /** Instead of the credential that the route names: the session of a browser. */
  authenticate?: (
    req: Request,
    auth: Auth,
    ctx: Context,
    beforeLookup: () => Promise<void>,
  ) => Promise<PrincipalOf<Auth>>;
}

/** One request and its answer, on the way through admit, parse and send. */
export interface Exchange {
  route: AnyRoute;
  ctx: Context;
  guards: Guards;
  req: Request;
  res: Response;
  /** Gives back what the request holds. Called when the answer is out and the work has ended. */
  atEnd: (() => void)[];
}

export type Principal = PrincipalOf<Auth>;
