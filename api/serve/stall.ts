import { setImmediate } from 'node:timers/promises';

const CHECK_MS = 100;
/** A turn of the event loop that takes longer is a stall: what is read after it may come from senders that gave up. */
const STALL_MS = 500;
/** How long after a stall such requests may be read: they are accepted in one turn and read in a later one. */
const CAUTION_MS = 1_000;
/** Turns within which the end of a connection that waits behind its last request is read. */
const CLOSING_TURNS = 6;

let turnedAtMs = 0;
let stalledAtMs = Number.NEGATIVE_INFINITY;
let watching: NodeJS.Timeout | undefined;

/**
 * Whether a caller has given up while this process stood still (stopped, starved or busy). It looks only after a stall:
 * at other times a caller that hangs up is noticed as it happens.
 */
export async function gaveUpInStall(aborted: () => AbortSignal): Promise<boolean> {
  if (!hasStalled()) return false;
  const signal = aborted();
  for (let turn = 0; turn < CLOSING_TURNS; turn += 1) await setImmediate();
  return signal.aborted;
}

function hasStalled(): boolean {
  if (watching === undefined) {
    turnedAtMs = performance.now();
    watching = setInterval(noteTurn, CHECK_MS).unref();
  }
  noteStall();
  return performance.now() - stalledAtMs < CAUTION_MS;
}

function noteTurn(): void {
  noteStall();
  turnedAtMs = performance.now();
}

function noteStall(): void {
  const nowMs = performance.now();
  if (nowMs - turnedAtMs > STALL_MS) stalledAtMs = nowMs;
}
