import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface SentAnswer {
  status: number;
  text: string;
  headers: NodeJS.Dict<string | string[]>;
}

/** One request from an address of this machine (127.0.0.0/8), on a connection of its own. */
export function sendFrom(
  address: string,
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<SentAnswer> {
  const { method = 'GET', headers = {}, body } = options;
  const answered = Promise.withResolvers<SentAnswer>();
  const sent = request(
    url,
    { method, localAddress: address, agent: false, headers: { Connection: 'close', ...headers } },
    (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () =>
        answered.resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    },
  );
  sent.on('error', answered.reject);
  sent.end(body);
  return answered.promise;
}

/** Opens connections from one address, each of which sends these bytes and then nothing more. */
export async function openHalfSent(
  address: string,
  url: string,
  count: number,
  bytes: (index: number) => string,
): Promise<{ close(): void }> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const open = async (index: number) => {
    const sent = Promise.withResolvers<void>();
    const socket = connect({ host: hostname, port: Number(port), localAddress: address }, () =>
      socket.write(bytes(index), () => sent.resolve()),
    );
    socket.on('error', () => sent.resolve());
    socket.resume();
    sockets.push(socket);
    await sent.promise;
  };
  for (let begun = 0; begun < count; begun += 100) {
    const some = Math.min(100, count - begun);
    await Promise.all(Array.from({ length: some }, (_, index) => open(begun + index)));
  }
  return { close: () => sockets.forEach((socket) => void socket.destroy()) };
}
