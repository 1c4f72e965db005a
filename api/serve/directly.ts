import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';

/** Answers a request; what it throws becomes a problem document. */
export type Handler = (req: Request, res: Response) => Promise<void>;

/**
 * The listener of a server: a path that has a handler of its own, by method and URL, gets it without Express' way through
 * its layers and its table; all else goes to Express. `begin` is what every request begins with.
 */
export function directly(
  app: Express,
  handlers: ReadonlyMap<string, Handler>,
  begin: (req: Request, res: Response) => void,
  fail: (error: unknown, req: Request, res: Response) => void,
): RequestListener {
  return (message, answer) => {
    const handler = handlers.get(`${message.method} ${message.url}`);
    if (!handler) return app(message, answer);
    const [req, res] = [message as Request, answer as Response];
    // As Express does it.
    req.res = res;
    res.req = req;
    res.locals = Object.create(null);
    req.params = {};
    begin(req, res);
    handler(req, res).catch((error: unknown) => fail(error, req, res));
  };
}

/**
 * What a server is to make its messages of, so that they have Express' methods from the start. Express would change the
 * prototype of each one, which makes every later use of it slow.
 */
export function expressMessages(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

/** Makes what the original makes, but for the prototype. */
function withPrototype<Constructor extends object>(original: Constructor, prototype: object): Constructor {
  const construct = function (this: unknown, ...args: unknown[]): object {
    return Reflect.construct(original as unknown as new (...args: unknown[]) => object, args, construct);
  };
  construct.prototype = prototype;
  return construct as unknown as Constructor;
}
