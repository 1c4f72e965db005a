import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of a store that counts what the client sends and can cut everything at a chosen moment. */
export interface StoreProxy {
  port: number;
  /** Called with each chunk from the client, before it is passed on; returning false drops it and cuts the line. */
  onRequest: (chunk: Buffer) => boolean;
  close(): Promise<void>;
}

export async function startProxy(target: { host: string; port: number }): Promise<StoreProxy> {
  const sockets = new Set<Socket>();
  const proxy: StoreProxy = { port: 0, onRequest: () => true, close };
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => {
      if (proxy.onRequest(Buffer.from(chunk))) upstream.write(chunk);
      else for (const socket of [client, upstream]) socket.destroy();
    });
    upstream.on('data', (chunk) => client.write(chunk));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.port = (server.address() as AddressInfo).port;

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
  return proxy;
}
