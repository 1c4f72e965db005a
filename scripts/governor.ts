import { Command } from 'commander';
import { addAccessCommands } from './governor/access.ts';
import { addAnalyticsCommands } from './governor/analytics.ts';
import { addConnectCommand } from './governor/connect.ts';
import { addCreditCommands } from './governor/credits.ts';
import { addClientCommands } from './governor/history.ts';
import { addOrganizationCommands } from './governor/organizations.ts';
import { addReplayCommand } from './governor/replay.ts';
import { createRunner, fail } from './governor/run.ts';
import { addUsageCommands } from './governor/usage.ts';
import { addWebhookCommands } from './governor/webhooks.ts';

/** The operator's command line. Everything goes through the same domain functions and into the audit log. */
const program = new Command('governor')
  .description('Set up and look after usage-governor')
  .option('--json', 'print one JSON object and nothing else')
  .option('--data <dir>', 'where scripts/up keeps its data (its up.json names the stores)', '.data')
  .showHelpAfterError()
  .exitOverride((error) => process.exit(error.exitCode));

const run = createRunner(program, process.env);
addOrganizationCommands(program, run);
addAccessCommands(program, run);
addCreditCommands(program, run);
addUsageCommands(program, run);
addAnalyticsCommands(program, run);
addWebhookCommands(program, run);
addReplayCommand(program, process.env);
addClientCommands(program, process.env);
addConnectCommand(program, run);

// Whoever reads has read enough (`| head`), and wants to hear no more.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  error.code === 'EPIPE' ? process.exit(0) : fail(error),
);

await program.parseAsync().catch(fail);
