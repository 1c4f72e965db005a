import { setImmediate } from 'node:timers/promises';

/** Lets what else this process has to do go first: between the steps of work that takes long. */
export async function nextTurn(): Promise<void> {
  await setImmediate();
}
