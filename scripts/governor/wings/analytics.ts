import type { Command } from 'commander';
import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import { freezeAnalytics } from '../../../shared/wings/analytics/freeze-weeks.ts';
import type { Run } from '../basics/run.ts';

/** `analytics`: what a worker does hourly, now. */
export function addAnalyticsCommands(program: Command, run: Run): void {
  program
    .command('analytics')
    .description('Weeks of analytics')
    .command('freeze <org_id>')
    .description(
      'Freeze the weeks that ended a day ago or earlier, and judge what arrived late for the others',
    )
    .action((orgId: string) =>
      run(async (ctx) => ({ ...(await freezeAnalytics(ctx, await readOrganization(ctx, orgId))) })),
    );
}
