import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Config } from '../../shared/platform/basics/config.ts';

/** The paths that pages of other origins may ask: the MCP endpoint, and the metadata that say where its tokens come from. */
export const CROSS_ORIGIN_PATHS = ['/mcp', '/.well-known/oauth-protected-resource'];

/** The headers of a preflight's answer: what a client of the protocol sends. Browsers keep it for two hours at most. */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Mcp-Method, Mcp-Name, MCP-Protocol-Version',
  'Access-Control-Max-Age': '7200',
};

/**
 * Lets pages of the origins in `MCP_ALLOWED_ORIGINS` read the answers (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol), and
 * answers their preflights: a browser sends one before each request with a credential. Cookies count for nothing there.
 */
export function allowOrigins({ mcpAllowedOrigins }: Config): RequestHandler {
  return (req: Request, res: Response, next: NextFunction): void => {
    res.vary('Origin');
    const { origin } = req.headers;
    if (origin === undefined || !mcpAllowedOrigins.includes(origin)) {
      next();
      return;
    }
    res.set('Access-Control-Allow-Origin', origin);
    res.set('Access-Control-Expose-Headers', 'Retry-After, WWW-Authenticate, X-Request-Id');
    if (req.method === 'OPTIONS') res.set(PREFLIGHT).status(204).end();
    else next();
  };
}
