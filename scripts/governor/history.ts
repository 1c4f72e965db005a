import type { Command } from 'commander';
import { addCheckCommand } from '../../packages/governor/src/check.ts';
import { addHistoryCommands, type Env } from '../../packages/governor/src/commands.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { print, readDemo, readUp } from './run.ts';

/** What the command line of `packages/governor` has too; a running scripts/up is found by itself. */
export function addClientCommands(program: Command, env: Record<string, string | undefined>): void {
  const options = () => program.opts<{ json?: boolean; data: string }>();
  const around: Env = {
    env,
    now: () => systemClock.now(),
    print: (report) => print(report, options().json === true),
    fallback: () => ({ api: readUp(options().data).api, key: readDemo(options().data) }),
  };
  addCheckCommand(program, around);
  addHistoryCommands(program, around);
}
