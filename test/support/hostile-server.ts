import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A server's way to keep its caller: it writes a head once, and pieces for ever. */
export interface Hostility {
  head: string;
  piece: string | Buffer;
  /** Pieces come as fast as they are taken, up to 1 GB; else one every 10 ms. */
  isPoured: boolean;
  /** It speaks first, as servers of mail do. */
  isGreeting?: boolean;
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const KB64 = 65_536;
const poured = (head: string, piece: string | Buffer): Hostility => ({ head, piece, isPoured: true });
const trickled = (head: string, piece: string): Hostility => ({ head, piece, isPoured: false });

/** Answers that are over before any deadline, as they are longer than any limit. */
export const ENDLESS = {
  'an endless body': poured(`${OK}\r\n`, 'x'.repeat(KB64)),
  'an endless body in chunks': poured(
    `${OK}Transfer-Encoding: chunked\r\n\r\n`,
    `10000\r\n${'x'.repeat(KB64)}\r\n`,
  ),
  'an endless compressed body': poured(
    `${OK}Content-Encoding: gzip\r\n\r\n`,
    gzipSync(Buffer.alloc(16 * KB64)),
  ),
  'an endless refusal': poured('HTTP/1.1 400 Bad Request\r\n\r\n', 'x'.repeat(KB64)),
  'endless headers': poured(OK, 'x: y\r\n'.repeat(1_000)),
  'one endless header': poured(`${OK}x: `, 'y'.repeat(KB64)),
};

/** Answers that only a deadline ends. */
export const TRICKLING = {
  'a trickling body': trickled(`${OK}Content-Length: 4000000\r\n\r\n`, 'x'),
  'trickling headers': trickled(OK, 'x: y\r\n'),
  'trickling interim answers': trickled('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  silence: trickled('', ''),
};

/** The same of a server that takes mail. */
export const ENDLESS_MAIL = {
  'an endless line': { ...poured('220 hello\r\n', 'x'.repeat(KB64)), isGreeting: true },
  'an answer of endless lines': { ...poured('', '220-hello\r\n'.repeat(1_000)), isGreeting: true },
};
export const TRICKLING_MAIL = {
  'a trickling answer': { ...trickled('220 hello\r\n', '250-more\r\n'), isGreeting: true },
  'a trickling greeting': { ...trickled('220-', 'x'), isGreeting: true },
};

export interface HostileServer {
  url: string;
  /** Requests that came, or connections where it speaks first. */
  asked: number;
  /** Bytes that were written. */
  sentBytes: number;
  /** The sockets of requests that are open now. A client may have opened another one that carries nothing. */
  held: Set<Socket>;
  become(next: Hostility | 'redirects'): void;
  close(): Promise<void>;
}

/** An issuer at the server whose metadata come at once: only what they lead to is hostile. */
export const ISSUER_PATH = '/issuer';

function metadataOf(url: string) {
  const issuer = `${url}${ISSUER_PATH}`;
  return { issuer, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` };
}

/** A server on a free loopback port that never lets its caller go. */
export async function startHostileServer(): Promise<HostileServer> {
  let mood: Hostility | 'redirects' = TRICKLING.silence;
  const sockets = new Set<Socket>();
  const held = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      held.delete(socket);
    });
    const begin = (request = Buffer.alloc(0)) => {
      if (request.toString('latin1').startsWith(`GET ${ISSUER_PATH}/`)) {
        socket.end(`${OK}\r\n${JSON.stringify(metadataOf(hostile.url))}`);
        return;
      }
      hostile.asked += 1;
      held.add(socket);
      const { url, asked } = hostile;
      if (mood !== 'redirects') harass(hostile, socket, mood);
      else socket.end(`HTTP/1.1 302 Found\r\nLocation: ${url}/${asked}\r\nContent-Length: 0\r\n\r\n`);
    };
    if (mood !== 'redirects' && mood.isGreeting) begin();
    else socket.once('data', begin);
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hostile: HostileServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: 0,
    sentBytes: 0,
    held,
    become: (next) => {
      mood = next;
      hostile.asked = 0;
      hostile.sentBytes = 0;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hostile;
}

function harass(hostile: HostileServer, socket: Socket, { head, piece, isPoured }: Hostility): void {
  const bytes = Buffer.from(piece);
  socket.write(head);
  if (isPoured) {
    const pour = (): void => {
      while (!socket.destroyed && hostile.sentBytes < 2 ** 30) {
        hostile.sentBytes += bytes.length;
        if (!socket.write(bytes)) {
          socket.once('drain', pour);
          return;
        }
      }
    };
    pour();
  } else {
    const timer = setInterval(() => {
      hostile.sentBytes += bytes.length;
      socket.write(bytes);
    }, 10);
    socket.once('close', () => clearInterval(timer));
  }
}
