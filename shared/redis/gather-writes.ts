import type { Redis } from 'ioredis';

/** Commands that leave together at most: Redis works on these while the rest of a long turn goes on here. */
const GATHERED_AT_MOST = 16;

/** Commands that were written to a connection whose bytes wait. */
interface Gathering {
  socket: Redis['stream'];
  held: number;
}

/**
 * What is sent within one turn of the event loop leaves in one write: fewer system calls and wake-ups on both sides, and
 * Redis answers those commands together, with one fsync. With `waits` they also wait for an earlier answer, so that more
 * of them do; one that nothing is ahead of leaves at the end of its turn.
 */
export function gatherWrites(client: Redis, { waits }: { waits: boolean }): void {
  const send = client.sendCommand.bind(client);
  let gathering: Gathering | null = null;

  function isNext({ held }: Gathering): boolean {
    return !waits || client.commandQueue.length <= held;
  }

  function gatherOn(socket: Redis['stream']): Gathering {
    const begun = { socket, held: 0 };
    // Behind the parser's listener, which takes what is answered out of the queue.
    socket.on('data', () => {
      if (begun.held > 0 && isNext(begun)) release(begun);
    });
    return begun;
  }

  client.sendCommand = (command, pipeline) => {
    const { stream: socket } = client;
    if (socket === undefined) return send(command, pipeline);
    if (gathering?.socket !== socket) gathering = gatherOn(socket);
    const now = gathering;
    if (pipeline !== undefined) {
      // Its commands are under way with the next line, so that what is held would wait for answers behind it.
      if (now.held > 0) release(now);
      return send(command, pipeline);
    }
    if (now.held === 0) {
      socket.cork();
      setImmediate(() => {
        if (now.held > 0 && isNext(now)) release(now);
      });
    }
    now.held += 1;
    const answer = send(command);
    if (now.held >= GATHERED_AT_MOST) release(now);
    return answer;
  };
}

function release(gathering: Gathering): void {
  gathering.held = 0;
  gathering.socket.uncork();
}
