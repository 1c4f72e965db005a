import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, numberOption, report, residentMb, round, setStage } from './bench.ts';

/** Until what a start costs is over (compiling, first sweeps, schedules), and processes that write nothing rest. */
const SETTLE_S = 110;

/** `idle [--seconds 60]`: what an installation costs that nobody uses, per process. */
export async function runIdleBench(args: string[]): Promise<void> {
  const seconds = numberOption(args, 'seconds', 60);
  const stage = await setStage();
  try {
    await stage.startApi();
    stage.startWorker();
    // The bench is no part of an installation.
    await stage.ctx.close();
    await sleep(SETTLE_S * 1_000);
    const pids = stage.pids();
    const before = Object.entries(pids).map(([name, pid]) => ({ name, pid, cpuS: cpuSeconds([pid]) }));
    await sleep(seconds * 1_000);
    const rows = before.map(({ name, pid, cpuS }) => ({
      process: name,
      percent_of_a_core: round(((cpuSeconds([pid]) - cpuS) / seconds) * 100),
      resident_mb: residentMb(pid),
    }));
    const all = rows.reduce((sum, row) => sum + row.percent_of_a_core, 0);
    report('idle', [...rows, { process: 'all', percent_of_a_core: round(all), resident_mb: '' }]);
  } finally {
    await stage.stop();
  }
}
