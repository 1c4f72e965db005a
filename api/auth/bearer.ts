import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../shared/platform/basics/errors.ts';

const LONGEST_TOKEN = 8_192;

/** The one error for every way in which a credential can be wrong. */
export function unauthorized(): DomainError {
  return new DomainError(
    'unauthorized',
    'Send a credential that is known here, and neither revoked nor expired, as "Authorization: Bearer …".',
  );
}

/** The bearer token of a request, or null. Throws `invalid_request` for two Authorization headers: Node would drop the second. */
export function bearerToken(req: IncomingMessage): string | null {
  if (countHeader(req, 'authorization') > 1)
    throw new DomainError('invalid_request', 'Send one Authorization header.');
  // OTEL_EXPORTER_OTLP_HEADERS is W3C baggage, in which a blank is %20; some clients send it as it is.
  const header = (req.headers.authorization ?? '').replace(/^(bearer)%20/i, '$1 ');
  const [scheme, token, ...rest] = header.split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0 || token.length > LONGEST_TOKEN)
    return null;
  return token;
}

/** Counts the headers of a name. Node's own list of them (`headersDistinct`) would be made of all headers of each request. */
function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index];
    if (raw?.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count;
}
