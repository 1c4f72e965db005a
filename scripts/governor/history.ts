import type { Command } from 'commander';
import { addCheckCommand } from '../../packages/governor/src/check.ts';
import { addHistoryCommands, type Env } from '../../packages/governor/src/commands.ts';
import { addContextCommand } from '../../packages/governor/src/context/command.ts';
import { addCostCommand } from '../../packages/governor/src/cost.ts';
import { addMcpCommand } from '../../packages/governor/src/mcp.ts';
import { print } from '../../packages/governor/src/output/print.ts';
import { addRaiseCommand } from '../../packages/governor/src/raise.ts';
import { WING_COMMANDS } from '../../packages/governor/src/wings.ts';
import { readDemo, readUp } from '../../packages/stack/read-run.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';

/** Adds the commands of `packages/governor`; they find a running scripts/up by themselves. */
export function addClientCommands(program: Command, env: Record<string, string | undefined>): void {
  const options = () => program.opts<{ json?: boolean; data: string }>();
  const around: Env = {
    env,
    now: () => systemClock.now(),
    print: (report) => print(report, options()),
    fallback: () => ({ api: readUp(options().data).api, key: readDemo(options().data) }),
  };
  addCheckCommand(program, around);
  addContextCommand(program, around);
  addRaiseCommand(program, around);
  addCostCommand(program, around);
  addMcpCommand(program, around);
  addHistoryCommands(program, around);
  for (const addCommands of WING_COMMANDS) addCommands(program, around);
}
