import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The endpoint of the bench, in a process of its own: `/ok/…` answers 204 at once, `/hang/…` accepts and never answers,
 * `/third/…` answers 500 until the fourth attempt. Tells its parent what arrived when asked.
 */
export interface Arrival {
  id: string;
  path: string;
  attempt: number;
  /** Wall time with microseconds. */
  atMs: number;
  /** The session that the event is about. */
  session: string;
}

let arrivals: Arrival[] = [];
const server = createServer((request, response) => {
  const { url: path = '', headers } = request;
  const attempt = Number(headers['x-service-attempt'] ?? 1);
  const atMs = performance.timeOrigin + performance.now();
  const arrival: Arrival = { id: String(headers['webhook-id']), path, attempt, atMs, session: '' };
  arrivals.push(arrival);
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.once('end', () => {
    arrival.session = /"ses_[^"]*"/.exec(body)?.[0].slice(1, -1) ?? '';
    if (path.startsWith('/hang')) return;
    response.writeHead(path.startsWith('/third') && attempt < 4 ? 500 : 204).end();
  });
});
server.keepAliveTimeout = 60_000;

process.on('message', (message) => {
  if (message === 'count') process.send?.({ count: arrivals.length });
  if (message === 'take') {
    process.send?.({ arrivals });
    arrivals = [];
  }
});
server.listen(0, '127.0.0.1', 4_096, () => process.send?.({ port: (server.address() as AddressInfo).port }));
