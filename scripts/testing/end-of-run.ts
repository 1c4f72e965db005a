import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Resolves when the test runner has ended: `code` is its exit code. A runner that has told its outcome and yet does not
 * end within `patienceMs` is killed, and `code` is null: a run that hangs at its exit would else hold up whoever waits.
 */
export async function endOfRun(
  runner: ChildProcess,
  hasTold: () => boolean,
  patienceMs: number,
): Promise<{ code: number | null }> {
  let toldAt: number | undefined;
  const watch = setInterval(() => {
    if (toldAt === undefined && hasTold()) toldAt = performance.now();
    if (toldAt !== undefined && performance.now() - toldAt > patienceMs) runner.kill('SIGKILL');
  }, 100);
  const [code] = await once(runner, 'exit');
  clearInterval(watch);
  return { code };
}
