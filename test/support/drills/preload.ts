import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** How often the CPU of the event loop is looked at. */
const LOOK_EVERY_MS = 20;

/** A comment more is another SHA. */
export const OTHER_RELEASE = '\n-- another release\n';

/** The environment that loads this into a process before its own code, to do to it what the variables below say. */
export function preloaded(env: Record<string, string>): Record<string, string> {
  return { NODE_OPTIONS: `--import=${import.meta.url}`, ...env };
}

/**
 * Ms by which its clock is wrong; set: its scripts are those of another release; ms that a turn of its loop takes; the file
 * that is told how long its event loop was held.
 */
const {
  DRILL_CLOCK_SHIFT_MS = '0',
  DRILL_OTHER_SCRIPTS,
  DRILL_BLOCK_MS = '0',
  DRILL_HELD_FILE,
} = process.env;

const shiftMs = Number(DRILL_CLOCK_SHIFT_MS);
if (shiftMs !== 0) {
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [target.now() + shiftMs] : args, newTarget),
    apply: (target) => new target(target.now() + shiftMs).toString(),
    get: (target, name) =>
      name === 'now' ? () => target.now() + shiftMs : Reflect.get(target, name, target),
  });
}

if (DRILL_OTHER_SCRIPTS !== undefined) {
  const { readFileSync } = fs;
  fs.readFileSync = ((file: fs.PathOrFileDescriptor, ...rest: [never]) => {
    const content = readFileSync(file, ...rest);
    return String(file).endsWith('.lua') ? String(content) + OTHER_RELEASE : content;
  }) as typeof fs.readFileSync;
  syncBuiltinESMExports();
}

const blockMs = Number(DRILL_BLOCK_MS);
if (blockMs > 0) {
  const lock = new Int32Array(new SharedArrayBuffer(4));
  let blocking: NodeJS.Timeout | undefined;
  // From one signal to the next. Asleep, so that only this process stands still.
  process.on('SIGUSR2', () => {
    clearInterval(blocking);
    blocking = blocking ? undefined : setInterval(() => Atomics.wait(lock, 0, 0, blockMs), 1);
  });
}

// CPU of the loop's own thread per look. A look is late by as much as a turn is long, so that no turn takes more than its look.
if (DRILL_HELD_FILE !== undefined && isMainThread) {
  let before = process.threadCpuUsage();
  setInterval(() => {
    const now = process.threadCpuUsage();
    const heldMs = (now.user + now.system - before.user - before.system) / 1_000;
    before = now;
    if (heldMs > LOOK_EVERY_MS / 2) fs.appendFileSync(DRILL_HELD_FILE, `${heldMs}\n`);
  }, LOOK_EVERY_MS).unref();
}
