import type { Command } from 'commander';
import type { Env } from './commands.ts';
import { addPriceCommands } from './wings/prices/commands.ts';
import { addPullRequestCommands } from './wings/work/commands.ts';

/** The functions that add the commands of wings. */
export const WING_COMMANDS: readonly ((program: Command, around: Env) => void)[] = [
  addPullRequestCommands,
  addPriceCommands,
];
