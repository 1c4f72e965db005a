import type { Command } from 'commander';
import type { z } from 'zod';
import { nameMaker } from '../../../shared/core/accounts/keys/model.ts';
import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import type { Config } from '../../../shared/platform/basics/config.ts';
import {
  addCodeHost,
  deleteCodeHost,
  listCodeHosts,
} from '../../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import { CODE_HOST_PROVIDERS, type CodeHost } from '../../../shared/wings/work/code-hosts/model.ts';
import { codeHostInput, viewCodeHost } from '../../../shared/wings/work/code-hosts/view.ts';
import { pullRequestRows } from '../../../shared/wings/work/pull-requests/model.ts';
import { type HotRead, ofNobody, since } from '../basics/hot-read.ts';
import { checkInput } from '../basics/input.ts';
import type { Run } from '../basics/run.ts';

/** `code-host`: where the pull requests of an organization are. */
export function addCodeHostCommands(program: Command, run: Run): void {
  const codeHost = program.command('code-host').description('Code hosts, which send events of pull requests');
  codeHost
    .command('create <org_id>')
    .description('Add a code host and show its address and its secret, this once')
    .requiredOption('--provider <provider>', `one of ${CODE_HOST_PROVIDERS.join(', ')}`)
    .option('--name <name>', 'shown beside the provider')
    .action((orgId: string, options: z.input<typeof codeHostInput>) =>
      run(async (ctx) => {
        await readOrganization(ctx, orgId);
        const { host, secret } = await addCodeHost(ctx, orgId, checkInput(codeHostInput, options));
        return { ...viewCodeHost(ctx.config, host), secret };
      }),
    );
  codeHost
    .command('list <org_id>')
    .description('List the code hosts, without their secrets')
    .action((orgId: string) =>
      run(async (ctx) => {
        await readOrganization(ctx, orgId);
        const hosts = await listCodeHosts(ctx, orgId);
        return { code_hosts: hosts.map((host) => inShort(ctx.config, host)) };
      }),
    );
  codeHost
    .command('delete <org_id> <id>')
    .description('Delete a code host; the pull requests that it reported stay')
    .action((orgId: string, id: string) =>
      run(async (ctx) => {
        await deleteCodeHost(ctx, orgId, id);
        return { id, deleted: true };
      }),
    );
}

/** A code host as one row. */
function inShort(config: Config, host: CodeHost) {
  const { made_by } = host;
  return { ...viewCodeHost(config, host), made_by: made_by && nameMaker(made_by) };
}

/** The first page of pull requests. */
export const HOT_READS: readonly HotRead[] = [
  { ...pullRequestRows, filter: { ...ofNobody, opened_at: since }, sort: { opened_at: -1, _id: -1 } },
];
