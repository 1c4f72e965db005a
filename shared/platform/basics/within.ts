/** Thrown when something that a store was asked for did not come in time. It counts as a store error (errors.ts). */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** The result of `work`, or a `DeadlineError` after `ms`. The work itself goes on; its late result is dropped. */
export function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new DeadlineError(`${what} took longer than ${ms} ms`));
    // After a turn in which the event loop was busy, timers go before answers that have arrived meanwhile: these still count.
    const timer = setTimeout(() => setImmediate(fail), ms);
    const settle = () => clearTimeout(timer);
    work.then(resolve, reject);
    work.then(settle, settle);
  });
}
