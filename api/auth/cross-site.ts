import type { IncomingMessage } from 'node:http';
import { baseUrl, type Config } from '../../shared/platform/basics/config.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a change that a page of another site asks for: a browser sends what it keeps for this site along. It says in
 * Sec-Fetch-Site where a request comes from, or at least its Origin; clients that are no browsers send neither. Throws
 * `cross_site`.
 */
export function refuseCrossSite({ method, headers }: IncomingMessage, config: Config): void {
  if (SAFE_METHODS.has(method ?? '')) return;
  const site = headers['sec-fetch-site'];
  const isOwn =
    site === undefined
      ? headers.origin === undefined || headers.origin === new URL(baseUrl(config)).origin
      : site === 'same-origin' || site === 'none';
  if (!isOwn) throw new DomainError('cross_site', 'A page of another site asked for this change.');
}
