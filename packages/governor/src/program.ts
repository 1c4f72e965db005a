import { Command } from 'commander';
import packed from '../package.json' with { type: 'json' };
import { describeFailure } from './api/ask.ts';
import { addCheckCommand } from './check.ts';
import { addHistoryCommands, type Env } from './commands.ts';
import { addContextCommand } from './context/command.ts';
import { addCostCommand } from './cost.ts';
import { addMcpCommand } from './mcp.ts';
import { addRaiseCommand } from './raise.ts';
import { WING_COMMANDS } from './wings.ts';

/** The command line that people run beside their agents: it needs an api and a key, and nothing of the server. */
export function createProgram(env: Env['env']): Command {
  const program = new Command('governor')
    .description('Send the local history of coding agents to usage-governor')
    .version(packed.version, '--version', 'print the version')
    .option('--json', 'print one JSON object and nothing else')
    .option('--wide', 'show tables with all their columns, however wide the terminal is')
    .showHelpAfterError();
  const around: Env = {
    env,
    now: () => Date.now(),
    print: (report) => console.log(JSON.stringify(report, null, program.opts().json ? 0 : 2)),
    fallback: () => ({}),
  };
  addHistoryCommands(program, around);
  addCheckCommand(program, around);
  addContextCommand(program, around);
  addRaiseCommand(program, around);
  addCostCommand(program, around);
  addMcpCommand(program, around);
  for (const addCommands of WING_COMMANDS) addCommands(program, around);
  return program;
}

/** Says what is wrong in one line and exits 1. */
export function fail(error: unknown): never {
  console.error(`governor: ${describeFailure(error)}`);
  process.exit(1);
}
