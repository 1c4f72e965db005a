import { once } from 'node:events';
import type { Command } from 'commander';
import { type Progress, withProgress } from '../../packages/governor/src/progress.ts';
import { openShards } from '../../shared/core/credits/ledger/open-when-connected.ts';
import { eraseMember } from '../../shared/people/erase-member.ts';
import { exportMember } from '../../shared/people/export-member.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { explainMade, type MadeOptions, madeOption, revokeMade } from './basics/made-option.ts';
import type { Run } from './basics/run.ts';

/** `member export` and `member erase`: what is kept about one person, and its end. */
export function addPersonalData(member: Command, run: Run): void {
  member
    .command('export <org_id> <user_id>')
    .description('Print everything that is kept about a member, one JSON object per line, without secrets')
    .action((orgId: string, userId: string) =>
      run(async (ctx) => {
        await openShards(ctx);
        await withProgress(ctx.clock, (progress) => writeLines(ctx, { orgId, userId }, progress));
        return null;
      }),
    );
  member
    .command('erase <org_id> <user_id>')
    .description(
      'Remove a member, and erase everything that identifies the person; repeat it if it was interrupted',
    )
    .addOption(madeOption())
    .action((orgId: string, userId: string, { made }: MadeOptions) =>
      run(async (ctx) => {
        await openShards(ctx);
        const erasing = eraseMember(ctx, orgId, userId, { revokeMade: revokeMade(made) });
        return { user_id: userId, erased: true, ...(await explainMade(erasing)) };
      }),
    );
}

/** Waits for whoever reads, so that memory stays flat. */
async function writeLines(
  ctx: Context,
  { orgId, userId }: { orgId: string; userId: string },
  progress: Progress,
): Promise<void> {
  let count = 0;
  for await (const record of exportMember(ctx, orgId, userId)) {
    if (!process.stdout.write(`${JSON.stringify(record)}\n`)) await once(process.stdout, 'drain');
    count += 1;
    // On a terminal the lines themselves show how far it is.
    if (!process.stdout.isTTY) progress.update(count);
  }
}
