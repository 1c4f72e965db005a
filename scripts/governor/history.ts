import type { Command } from 'commander';
import { addHistoryCommands } from '../../packages/governor/src/commands.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { print, readDemo, readUp } from './run.ts';

/** `import` and `sync`, as the command line of `packages/governor` has them; a running scripts/up is found by itself. */
export function addImportCommands(program: Command, env: Record<string, string | undefined>): void {
  const options = () => program.opts<{ json?: boolean; data: string }>();
  addHistoryCommands(program, {
    env,
    now: () => systemClock.now(),
    print: (report) => print(report, options().json === true),
    fallback: () => ({ api: readUp(options().data).api, key: readDemo(options().data) }),
  });
}
