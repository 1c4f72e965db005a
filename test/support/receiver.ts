import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';

export interface Received {
  atMs: number;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** The envelope. */
  event: { id: string; type: string; org_id: string; ts: string; data: Record<string, unknown> };
}

/** The endpoint's reaction to a request that has arrived whole. */
export type Behaviour =
  | { status: number; body?: string | Buffer; headers?: Record<string, string>; afterMs?: number }
  /** Accepts, reads, never answers. */
  | 'hang'
  /** 200, then a byte of the body every 50 ms for ever. */
  | 'drip'
  /** A status line, then a header every 50 ms for ever. */
  | 'drip-headers'
  /** 200, then up to 1 GB as fast as it is taken. */
  | 'huge'
  /** Closes the connection instead of answering. */
  | 'reset'
  /** 200 and half of what Content-Length promised, then closes. */
  | 'half';

export interface Receiver {
  url: string;
  received: Received[];
  /** Bytes of answers that were written. */
  sentBytes: number;
  /** Connections that were accepted so far. */
  accepted: number;
  /** Sockets that are open now. */
  sockets: Set<Socket>;
  behave(next: Behaviour | ((request: Received) => Behaviour)): void;
  close(): Promise<void>;
}

/** A real small endpoint on a free loopback port. */
export async function startReceiver(first: Behaviour = { status: 200 }): Promise<Receiver> {
  let behaviour: Behaviour | ((request: Received) => Behaviour) = first;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void take(request, response));
  server.on('connection', (socket) => {
    receiver.accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const receiver: Receiver = {
    url: '',
    received: [],
    sentBytes: 0,
    accepted: 0,
    sockets,
    behave: (next) => {
      behaviour = next;
    },
    close: () => end(server, sockets),
  };
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request)).toString();
    const { url: path = '', headers } = request;
    const one = { atMs: Date.now(), path, headers, body, event: eventOf(body) };
    receiver.received.push(one);
    answer(receiver, response, typeof behaviour === 'function' ? behaviour(one) : behaviour);
  }
  receiver.url = `http://127.0.0.1:${await listen(server)}/hook`;
  return receiver;
}

/** Reads the event of a request; a format for people sends no envelope. */
function eventOf(body: string): Received['event'] {
  return body.startsWith('{') ? JSON.parse(body) : { id: '', type: '', org_id: '', ts: '', data: {} };
}

function answer(receiver: Receiver, response: ServerResponse, behaviour: Behaviour): void {
  if (behaviour === 'hang') return;
  if (behaviour === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (behaviour === 'half') {
    response.writeHead(200, { 'content-length': '100' }).write('x'.repeat(50));
    setTimeout(() => response.socket?.destroy(), 20);
    return;
  }
  if (behaviour === 'drip') {
    response.writeHead(200);
    repeatUntilClosed(response, () => response.write('x'));
    return;
  }
  if (behaviour === 'drip-headers') {
    const { socket } = response;
    socket?.write('HTTP/1.1 200 OK\r\n');
    repeatUntilClosed(response, () => socket?.write('x: y\r\n'));
    return;
  }
  if (behaviour === 'huge') {
    pour(receiver, response);
    return;
  }
  const { status, body = '', headers = {}, afterMs = 0 } = behaviour;
  setTimeout(() => response.writeHead(status, headers).end(body), afterMs);
}

function repeatUntilClosed(response: ServerResponse, act: () => void): void {
  const timer = setInterval(act, 50);
  response.once('close', () => clearInterval(timer));
}

function pour(receiver: Receiver, response: ServerResponse): void {
  response.writeHead(200);
  const chunk = Buffer.alloc(65_536, 'x');
  const more = (): void => {
    while (receiver.sentBytes < 2 ** 30 && !response.destroyed) {
      receiver.sentBytes += chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

/** Accepts connections and says nothing at all: over https that is a hang in the TLS handshake. */
export async function startSilence(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  return { port: await listen(server), close: () => end(server, sockets) };
}

/** Never accepts, and its backlog is full: a connection to it hangs while it opens. */
export async function startDeaf(): Promise<{ port: number; close(): Promise<void> }> {
  const thread = new Worker(
    `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       require('node:worker_threads').parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true },
  );
  const [port] = await once(thread, 'message');
  const backlog: Socket[] = [];
  const opens = async (): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    backlog.push(socket);
    const patience = new Promise<boolean>((resolve) => setTimeout(resolve, 300, false));
    return Promise.race([once(socket, 'connect').then(() => true), patience]);
  };
  while (await opens());
  return {
    port,
    close: async () => {
      for (const socket of backlog) socket.destroy();
      await thread.terminate();
    },
  };
}

async function listen(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function end(server: Server | TcpServer, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
}
