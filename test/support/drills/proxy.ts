import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** `blackhole` accepts and forwards nothing; `drop-replies` forwards what is asked and swallows what is answered. */
export type Mode = 'pass' | 'latency' | 'blackhole' | 'drop-replies';

export interface NetProxy {
  port: number;
  /** The port that new connections lead to. */
  target: number;
  mode: Mode;
  /** The delay of `latency`, one way. */
  delayMs: number;
  /** Sees each chunk that a client sends; false swallows it and cuts the line. */
  onRequest(chunk: Buffer): boolean;
  /** Sees each chunk that a client sends; true takes it and makes this one connection dark: open, and silent both ways. */
  darken(chunk: Buffer): boolean;
  /** As a host that is gone: the connections of now stay and carry nothing more, new ones pass. */
  vanish(): void;
  /** Resets every connection. */
  reset(): void;
  close(): Promise<void>;
}

/** A TCP proxy that can go wrong in the ways of a network. */
export async function startProxy(target: number): Promise<NetProxy> {
  const sockets = new Set<Socket>();
  const vanished = new WeakSet<Socket>();
  const proxy: Pick<NetProxy, 'target' | 'mode' | 'delayMs' | 'onRequest' | 'darken'> = {
    target,
    mode: 'pass',
    delayMs: 0,
    onRequest: () => true,
    darken: () => false,
  };
  const server = createServer((client) => {
    const upstream = connect(proxy.target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (!vanished.has(client) && proxy.darken(Buffer.from(chunk)))
        for (const socket of [client, upstream]) vanished.add(socket);
      if (!proxy.onRequest(Buffer.from(chunk))) client.destroy();
    });
    forward(client, upstream, () => proxy.mode !== 'blackhole' && !client.destroyed);
    forward(upstream, client, () => proxy.mode === 'pass' || proxy.mode === 'latency');
  });

  function forward(from: Socket, to: Socket, passes: () => boolean): void {
    from.on('data', (chunk) => {
      if (vanished.has(from) || !passes()) return;
      if (proxy.mode === 'latency') setTimeout(() => to.write(chunk), proxy.delayMs);
      else to.write(chunk);
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    vanish: () => {
      for (const socket of sockets) vanished.add(socket);
    },
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
}
