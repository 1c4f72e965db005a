import type { Redis } from 'ioredis';

/**
 * What is sent within one turn of the event loop leaves in one write at its end: fewer system calls and wake-ups on both
 * sides, and Redis answers those commands together, with one fsync.
 */
export function gatherWrites(client: Redis): void {
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command, pipeline) => {
    const { stream } = client;
    if (stream && stream.writableCorked === 0) {
      stream.cork();
      setImmediate(() => stream.uncork());
    }
    return send(command, pipeline);
  };
}
