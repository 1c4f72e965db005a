import { plainName } from '../attribution/name.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { replaceRow } from '../platform/mongo/writes.ts';
import { decideReport, type Reported, type ReportOutcome } from '../pull-requests/decide.ts';
import { type PullRequest, pullRequestId, pullRequestRows } from '../pull-requests/model.ts';
import type { PullRequestReport } from '../pull-requests/report.ts';

/** Stores what a report says of a pull request. Reports of one pull request wait for each other. */
export async function recordReport(
  ctx: Context,
  orgId: string,
  report: PullRequestReport,
): Promise<{ outcome: ReportOutcome; row: PullRequest }> {
  const reported = withNames(ctx, orgId, report);
  const _id = pullRequestId(orgId, report.repository, report.number);
  return commitPlan(
    ctx,
    async (transaction) => {
      const known = await pullRequestRows(ctx).findOne({ _id, org_id: orgId }, { session: transaction });
      const { outcome, row } = decideReport(orgId, known, reported);
      const writes = outcome === 'repeated' ? [] : [replaceRow(pullRequestRows, row, { upsert: true })];
      return { writes, wakeUps: [], result: { outcome, row } };
    },
    { onDuplicateKey: 'retry' },
  );
}

function withNames(ctx: Context, orgId: string, report: PullRequestReport): Reported {
  const { branch, base_branch } = report;
  return {
    ...report,
    branch: plainName(ctx, orgId, branch),
    base_branch: base_branch === null ? null : plainName(ctx, orgId, base_branch),
  };
}
