import type { Log } from './log.ts';

const PATIENCE_MS = 23_000;

/**
 * Runs `stop` once on SIGTERM or SIGINT and exits: 0 when it finished, 1 when it failed or took over 23 s, beside the time that
 * it is told to wait first.
 */
export function stopOnSignal(log: Log, stop: () => Promise<void>, delayMs = 0): void {
  let stopping = false;
  const begin = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const late = setTimeout(() => {
      log.error('stopping took too long');
      process.exit(1);
    }, PATIENCE_MS + delayMs);
    late.unref();
    stop().then(
      () => process.exit(process.exitCode ?? 0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
  process.on('unhandledRejection', (error: unknown) => {
    log.fatal({ err: error }, 'unhandled rejection');
    process.exitCode = 1;
    begin('unhandledRejection');
  });
}
