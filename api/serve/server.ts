import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Config } from '../../shared/platform/basics/config.ts';
import { DomainError, type ErrorCode } from '../../shared/platform/basics/errors.ts';
import { every } from '../../shared/platform/basics/every.ts';
import { problemBody, problemOf } from '../basics/problem.ts';

/** An HTTP server with limits on what a slow or careless client can hold. */
export function createHttpServer(app: Express, config: Config): Server {
  const server = createServer(
    {
      maxHeaderSize: 16_384,
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: true,
      ...messagesOf(app),
    },
    app,
  );
  server.maxConnections = config.maxConnections;
  server.timeout = STALLED_MS;
  server.prependListener('request', (_req, res) => res.on('timeout', cutStalledReader));
  server.on('clientError', refuseConnection);
  server.on('connect', refuseTunnel);
  // Expectations beside 100-continue are ignored (RFC 9110, 10.1.1): Node's own 417 is no problem document.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  return server;
}

/**
 * Messages that have Express' methods from the start. Express gives each message that has others the prototypes `app.request` and
 * `app.response`, and every later use of a message whose prototype has changed is slow.
 */
function messagesOf(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** How long a reader may take nothing of what waits for it. */
const STALLED_MS = 30_000;

/** Nothing moved on the connection. When nothing waits to be read, it is we who are slow. */
function cutStalledReader(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

const CLIENT_ERRORS: Record<string, { code: ErrorCode; detail: string }> = {
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', detail: 'The headers may hold 16 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', detail: 'Send a request within 15 s.' },
};

/** Answers with a problem document where Node refuses before there is a request. */
function refuseConnection(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const known = CLIENT_ERRORS[error.code ?? ''];
  const { code, detail } = known ?? { code: 'invalid_request', detail: 'This is not valid HTTP.' };
  socket.end(rawProblem(new DomainError(code, detail)));
}

/** Node would hang up without an answer, and it lets go of the socket: from here on its errors and its end are ours. */
function refuseTunnel(_req: IncomingMessage, socket: Duplex): void {
  const error = new DomainError('method_not_allowed', 'This service opens no tunnels.');
  socket.on('error', () => socket.destroy());
  // An empty list: what CONNECT names is a host, and has no methods here (RFC 9110, 10.2.1).
  socket.end(rawProblem(error, 'Allow: \r\n'), () => socket.destroy());
}

/** An answer to what never becomes a response of Node's. Each line of `headers` ends with CRLF. */
function rawProblem(error: DomainError, headers = ''): string {
  const problem = problemOf(error);
  const requestId = randomUUID();
  const body = JSON.stringify(problemBody(problem, requestId));
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${headers}Content-Type: application/problem+json\r\nX-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

/**
 * Stops accepting, finishes what is under way, lets idle connections go. A connection that is always busy is told to
 * close with its next answer: it would never be idle.
 */
export async function closeServer(server: Server): Promise<void> {
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'));
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  const stopClosing = every(100, async () => server.closeIdleConnections());
  await closed.promise;
  await stopClosing();
}
