import type { Command } from 'commander';
import type { Env } from './commands.ts';
import { addPullRequestCommands } from './wings/work/commands.ts';

/** What adds the commands of each wing. */
export const WING_COMMANDS: readonly ((program: Command, around: Env) => void)[] = [addPullRequestCommands];
