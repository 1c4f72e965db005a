/**
 * Runs `work` now and every `ms` milliseconds, which keeps no process alive. Turns that come while it runs are left out, so
 * that it owes none after a store was away. `work` handles its own failures. Returns how to stop: what runs is waited for.
 */
export function every(ms: number, work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  const begin = () => {
    running ??= work().finally(() => {
      running = null;
    });
  };
  begin();
  const timer = setInterval(begin, ms).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
