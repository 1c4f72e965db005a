import { setImmediate } from 'node:timers/promises';

/**
 * How long one piece of work holds the event loop before what else waits has its turn. Milliseconds. A request takes
 * about ten turns, and in each of them it may wait for such a piece of each of its neighbours.
 */
const TURN_MS = 4;

/** Lets what else this process has to do go first: between the steps of work that takes long. */
export async function nextTurn(): Promise<void> {
  await setImmediate();
}

/** Makes what long work awaits between its steps: `nextTurn`, once the steps since the last one have taken `TURN_MS`. */
export function createPace(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < TURN_MS) return;
    await nextTurn();
    sinceMs = performance.now();
  };
}
