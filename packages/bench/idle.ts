import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, memoryMib, numberOption, onStage, report, round } from './bench.ts';
import { AS_SCRIPTS_UP } from './stage.ts';

/** Until what a start costs is over (compiling, first sweeps, schedules), and processes that write nothing rest. */
const SETTLE_S = 110;

/** `idle [--seconds 60]`: what an installation costs that nobody uses, per process. */
export async function runIdleBench(args: string[]): Promise<void> {
  const seconds = numberOption(args, 'seconds', 60);
  await onStage(async (stage) => {
    for (const start of [stage.startApi, stage.startWorker]) await (await start()).end();
    const api = await stage.startApi();
    const worker = await stage.startWorker();
    // The bench is no part of an installation.
    await stage.ctx.close();
    await sleep(SETTLE_S * 1_000);
    const processes = Object.entries({ mongo: stage.mongo, redis: stage.redis, api, worker });
    const before = processes.map(([name, { pid }]) => ({ name, pid, cpuS: cpuSeconds([pid]) }));
    await sleep(seconds * 1_000);
    const rows = before.map(({ name, pid, cpuS }) => ({
      process: name,
      percent_of_a_core: round(((cpuSeconds([pid]) - cpuS) / seconds) * 100),
      resident_mib: Math.round(memoryMib(pid, 'VmRSS')),
    }));
    const sumOf = (some: typeof rows) => round(some.reduce((sum, row) => sum + row.percent_of_a_core, 0));
    const own = rows.filter(({ process }) => process !== 'mongo');
    report('idle', [
      ...rows,
      { process: 'all', percent_of_a_core: sumOf(rows), resident_mib: '' },
      { process: 'without mongo', percent_of_a_core: sumOf(own), resident_mib: '' },
    ]);
  }, AS_SCRIPTS_UP);
}
