import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../shared/platform/basics/errors.ts';

const LONGEST_TOKEN = 8_192;

/** The one error for every way in which a credential can be wrong. */
export function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'Send a valid credential as "Authorization: Bearer …".');
}

/**
 * The bearer token of a request, or null. Throws `invalid_request` for two Authorization headers, of which Node
 * would silently keep the first.
 */
export function bearerToken(req: IncomingMessage): string | null {
  if ((req.headersDistinct.authorization ?? []).length > 1)
    throw new DomainError('invalid_request', 'Send one Authorization header.');
  // OTEL_EXPORTER_OTLP_HEADERS is W3C baggage, in which a blank is %20; some clients send it as it is.
  const header = (req.headers.authorization ?? '').replace(/^(bearer)%20/i, '$1 ');
  const [scheme, token, ...rest] = header.split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0 || token.length > LONGEST_TOKEN)
    return null;
  return token;
}
