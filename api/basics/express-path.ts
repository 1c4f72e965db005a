import type { IRouter, RequestHandler } from 'express';
import type { AnyRoute } from './route.ts';

/** `{id}` as OpenAPI writes it is `:id` to Express. */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** Serves a route's method and path, and the paths below it if it is a prefix. */
export function mountRoute(
  router: IRouter,
  { method, path, isPrefix }: Pick<AnyRoute, 'method' | 'path' | 'isPrefix'>,
  ...handlers: RequestHandler[]
): void {
  const paths = isPrefix ? [path, `${path}/*rest`] : [expressPath(path)];
  router[method === 'any' ? 'all' : method](paths, ...handlers);
}
