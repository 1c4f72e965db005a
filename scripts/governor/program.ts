import { Command } from 'commander';
import { addAccessCommands } from './access.ts';
import { createRunner } from './basics/run.ts';
import { addConnectCommand } from './connect.ts';
import { addCreditCommands } from './credits.ts';
import { addDoctorCommand } from './doctor.ts';
import { addDueCommand } from './due.ts';
import { arrangeHelp } from './help.ts';
import { addClientCommands } from './history.ts';
import { addOrganizationCommands } from './organizations.ts';
import { addReplayCommand } from './replay.ts';
import { addStatusCommand } from './status.ts';
import { addUsageCommands } from './usage.ts';
import { versionOf } from './version.ts';
import { addWebhookCommands } from './webhooks.ts';
import { GOVERNOR_WINGS } from './wings.ts';

/** The operator's command line. Everything goes through the same domain functions and into the audit log. */
export function createProgram(env: Record<string, string | undefined>): Command {
  const program = new Command('governor')
    .description('Set up and look after usage-governor')
    .version(versionOf(), '--version', 'print the version')
    .option('--json', 'print one JSON object and nothing else')
    .option('--wide', 'show tables with all their columns, however wide the terminal is')
    .option('--data <dir>', 'where scripts/up keeps its data (its up.json names the stores)', '.data')
    .showHelpAfterError()
    .exitOverride((error) => process.exit(error.exitCode));
  const run = createRunner(program, env);
  addOrganizationCommands(program, run);
  addAccessCommands(program, run);
  addCreditCommands(program, run);
  addUsageCommands(program, run);
  addWebhookCommands(program, run);
  for (const { addCommands } of GOVERNOR_WINGS) addCommands?.(program, run);
  addReplayCommand(program, env);
  addClientCommands(program, env);
  addConnectCommand(program, run);
  addDoctorCommand(program, run);
  addDueCommand(program, run);
  addStatusCommand(program, env);
  arrangeHelp(program);
  return program;
}
