import type { Command } from 'commander';
import { withProgress } from '../../packages/governor/src/progress.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { reconcileAllUsage, reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { purge } from '../../shared/core/retention/purge.ts';
import { RETENTION } from '../../shared/tables/retention.ts';
import { parseDay } from './basics/input.ts';
import type { Run } from './basics/run.ts';

/** `usage`: comparing rollups with their signals, and retention. */
export function addUsageCommands(program: Command, run: Run): void {
  const usage = program.command('usage').description('Rollups of usage');
  usage
    .command('reconcile [org_id]')
    .description(
      'Compare rollups with the sum of their signals, and rebuild those that differ (default: all organizations)',
    )
    .option('--check', 'only compare, change nothing')
    .option('--from <date>', 'first day, YYYY-MM-DD (default: 36 days ago)', parseDay)
    .action((orgId: string | undefined, options: { check?: boolean; from?: string }) =>
      run(async (ctx) => {
        const organization = orgId === undefined ? null : await readOrganization(ctx, orgId);
        const result = await withProgress(ctx.clock, ({ update }) => {
          const how = {
            repair: options.check !== true,
            fromMs: options.from === undefined ? undefined : Date.parse(options.from),
            onProgress: update,
          };
          return organization ? reconcileUsage(ctx, organization, how) : reconcileAllUsage(ctx, how);
        });
        return { ...result };
      }),
    );
  usage
    .command('purge')
    .description('Delete everything that is older than its retention')
    .action(() => run(async (ctx) => ({ deleted: await purge(ctx, RETENTION) })));
}
