import type { ClientSession } from 'mongoose';
import { auditWrite } from '../../../core/accounts/audit/record-audit.ts';
import { readOrganization } from '../../../core/accounts/organizations/read-organization.ts';
import { guardOrganizationRules } from '../../../core/accounts/organizations/versions.ts';
import type { Name } from '../../../core/calls/signals/place.ts';
import { keptName } from '../../../core/calls/signals/place.ts';
import { commitPlan, type Decision, joinPlans, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { secondShard } from '../../../platform/mongo/counter-shards.ts';
import { deleteRows, replaceRow } from '../../../platform/mongo/writes.ts';
import { boundaryRows } from '../attribution/model.ts';
import { boundaryId, branchKey, plainName } from '../attribution/names.ts';
import { type Boundary, type RecordedFacts, rememberFacts } from '../moves/plan-facts.ts';
import { planBoundaries } from '../moves/record-boundaries.ts';
import {
  type BranchBoundary,
  decideReport,
  type KeyOf,
  type Reported,
  type ReportOutcome,
} from '../pull-requests/decide.ts';
import { type PullRequest, pullRequestId, pullRequestRows } from '../pull-requests/model.ts';
import type { PullRequestReport } from '../pull-requests/report.ts';

interface Recorded {
  outcome: ReportOutcome;
  row: PullRequest;
}

/**
 * Stores what a report says of a pull request. Its ends and renames are boundaries of its branch in the same transaction, and calls
 * that were recorded before move with them. Reports of one pull request wait for each other. The audit log names the key that is the
 * first to report one.
 */
export async function recordReport(
  ctx: Context,
  orgId: string,
  report: PullRequestReport,
  { signed }: Pick<Reported, 'signed'>,
): Promise<Recorded> {
  const { facts, ...recorded } = await commitPlan(
    ctx,
    (transaction) => decideRecording(ctx, orgId, { ...report, signed }, transaction),
    { onDuplicateKey: 'retry' },
  );
  if (facts !== null) rememberFacts(ctx, facts);
  return recorded;
}

async function decideRecording(
  ctx: Context,
  orgId: string,
  report: PullRequestReport & Pick<Reported, 'signed'>,
  transaction: ClientSession,
): Promise<Decision<Recorded & { facts: RecordedFacts | null }>> {
  const { signed } = report;
  const { hash_names } = await readOrganization(ctx, orgId, transaction);
  const reported = withNames(ctx, orgId, report, hash_names === true);
  const _id = pullRequestId(orgId, reported.repository, reported.number);
  const known = await pullRequestRows(ctx).findOne({ _id, org_id: orgId }, { session: transaction });
  const keyOf = keysIn(ctx, orgId);
  const { outcome, row, boundaries, undone } = decideReport({ orgId, keyOf }, known, reported);
  if (outcome === 'repeated') return { result: { outcome, row, facts: null } };
  const stored = {
    writes: [
      replaceRow(pullRequestRows, row, { upsert: true }),
      ...undoneWrites(ctx, orgId, undone),
      ...(known || signed ? [] : [auditWrite(ctx, { action: 'pull_request.report', ...actOn(row) })]),
      // An organization that begins to hide names meanwhile conflicts here.
      guardOrganizationRules(orgId, secondShard()),
    ],
  };
  const { facts, ...plan } = await planDivided(ctx, orgId, { boundaries, undone }, transaction);
  return { ...joinPlans(stored, plan), result: { outcome, row, facts } };
}

/** The plan for new boundaries, and for renames that are none. These go on dividing their branch: boundaries are only ever added. */
export async function planDivided(
  ctx: Context,
  orgId: string,
  { boundaries, undone }: Pick<ReturnType<typeof decideReport>, 'boundaries' | 'undone'>,
  transaction: ClientSession,
): Promise<Partial<Plan> & { facts: RecordedFacts | null }> {
  const divided = undone.map(({ to: _, ...boundary }) => boundary);
  const all = [...boundaries, ...divided].map(boundaryOf);
  if (all.length === 0) return { facts: null };
  const { result: facts, ...plan } = await planBoundaries(ctx, orgId, all, transaction);
  return { ...plan, facts };
}

function boundaryOf({ repository, branch, at, to }: BranchBoundary): Boundary {
  const renamed = to === undefined ? {} : { renamed_to: to.hash };
  return { repository, branch_hash: branch.hash, atMs: at.getTime(), ...renamed };
}

function keysIn(ctx: Context, orgId: string): KeyOf {
  return (repository, branch) => branchKey(ctx, orgId, repository, branch.hash);
}

/** The audit entry of an act on a pull request, but for the action. */
export function actOn({ _id, org_id, repository, number }: PullRequest) {
  return { org_id, details: { id: _id, repository, number } };
}

export function undoneWrites(ctx: Context, orgId: string, undone: readonly BranchBoundary[]) {
  const keyOf = keysIn(ctx, orgId);
  return undone.map(({ repository, branch, at, to }) => {
    const key = keyOf(repository, branch);
    const _id = boundaryId(ctx, key, at.getTime(), to === undefined ? '' : keyOf(repository, to));
    return deleteRows(boundaryRows, { _id, branch: key });
  });
}

/** A report with its names as the organization keeps them: as hashes, and no title, where it hides names. */
function withNames(
  ctx: Context,
  orgId: string,
  report: PullRequestReport & Pick<Reported, 'signed'>,
  hashNames: boolean,
): Reported {
  const kept = (text: string): Name => keptName(plainName(ctx, orgId, text), hashNames);
  const { branch, base_branch, title } = report;
  return {
    ...report,
    title: hashNames ? null : title,
    branch: kept(branch),
    base_branch: base_branch === null ? null : kept(base_branch),
  };
}
