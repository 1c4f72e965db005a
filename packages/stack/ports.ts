import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const LOWEST_PORT = 15_000;

/** True when this process could listen there. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** True when somebody listens on this port of this machine. */
export async function isPortOpen(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  return await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

/**
 * A port that nobody listens on, below the range from which the system takes the ports of outgoing connections.
 * Inside that range a client that reconnects to a server that is down can be given the server's own port,
 * and the server could not come back on it.
 */
export async function findFreePort(): Promise<number> {
  const highest = lowestOutgoingPort();
  for (let tries = 0; tries < 200; tries++) {
    const port = LOWEST_PORT + Math.floor(Math.random() * (highest - LOWEST_PORT));
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port between ${LOWEST_PORT} and ${highest}.`);
}

function lowestOutgoingPort(): number {
  const usual = 32_768;
  try {
    const lowest = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    return lowest > LOWEST_PORT + 1000 ? Math.min(lowest, usual) : usual;
  } catch {
    return usual;
  }
}
