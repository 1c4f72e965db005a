import type { Name } from '../attribution/decide-work.ts';
import { type HeadRename, type PullRequest, pullRequestId, type Seen } from './model.ts';
import { PULL_REQUEST_STATES, type PullRequestReport } from './report.ts';

/** A report with its names as they are kept. */
export interface Reported extends Omit<PullRequestReport, 'branch' | 'base_branch'> {
  branch: Name;
  base_branch: Name | null;
}

export type ReportOutcome = 'applied' | 'repeated' | 'stale';

/** A moment at which a branch begins to mean something else. */
export interface BranchBoundary {
  repository: string;
  branch: Name;
  at: Date;
  /** The name that it has from then on, where it was renamed. */
  to?: Name;
}

export type KeyOf = (repository: string, branch: Name) => string;

interface Decided {
  outcome: ReportOutcome;
  row: PullRequest;
  /** Those that were not known before. */
  boundaries: BranchBoundary[];
  /** Renames that earlier reports had put at another moment. */
  undone: BranchBoundary[];
}

/** Reports that a pull request remembers. Beyond these, those go that say the same as both their neighbours. */
const MOST_SEEN = 50;

/**
 * Decides what a report changes. The newest report shows the pull request; of two of the same moment the one that is further. When
 * it ended and how its branch was renamed follow from all reports, so that their order of arrival does not matter. Pure.
 */
export function decideReport(
  { orgId, keyOf }: { orgId: string; keyOf: KeyOf },
  known: PullRequest | null,
  reported: Reported,
): Decided {
  const outcome = outcomeOf(known, reported);
  if (known && outcome === 'repeated') return { outcome, row: known, boundaries: [], undone: [] };
  const seen = shorten(insert(known?.seen ?? [], seenOf(reported)));
  const [newest, other] = known && outcome === 'stale' ? [known, reported] : [reported, known];
  const head = headOf(seen);
  const row: PullRequest = {
    _id: pullRequestId(orgId, reported.repository, reported.number),
    org_id: orgId,
    repository: reported.repository,
    number: reported.number,
    // A report may leave these out.
    title: newest.title ?? other?.title ?? null,
    url: newest.url ?? other?.url ?? null,
    base_branch: newest.base_branch ?? other?.base_branch ?? null,
    state: newest.state,
    // A CI job may not know when it was opened, and says a later time.
    opened_at: earliest(newest.opened_at, other?.opened_at),
    updated_at: newest.updated_at,
    ...endOf(seen),
    head_repository: head.repository,
    branch: head.branch,
    seen,
    renames: renamesOf(seen),
    head: head.repository === null ? null : keyOf(head.repository, head.branch),
  };
  const [before, after] = [known ? boundariesOf(known) : [], boundariesOf(row)];
  const undone = without(before, after).filter(({ to }) => to !== undefined);
  return { outcome, row, boundaries: without(after, before), undone };
}

function earliest(a: Date, b: Date = a): Date {
  return a < b ? a : b;
}

function outcomeOf(known: PullRequest | null, { updated_at, state }: Reported): ReportOutcome {
  if (!known || updated_at > known.updated_at) return 'applied';
  if (updated_at < known.updated_at) return 'stale';
  return isFurther(state, known.state) ? 'applied' : 'repeated';
}

function isFurther(a: Seen['state'], b: Seen['state']): boolean {
  return PULL_REQUEST_STATES.indexOf(a) > PULL_REQUEST_STATES.indexOf(b);
}

function seenOf({ updated_at, state, closed_at, head_repository, branch }: Reported): Seen {
  return {
    at: updated_at,
    state,
    ...(closed_at === null ? {} : { closed_at }),
    ...(head_repository === null ? {} : { head_repository }),
    branch,
  };
}

function insert(seen: readonly Seen[], fresh: Seen): Seen[] {
  const same = seen.find(({ at }) => at.getTime() === fresh.at.getTime());
  if (same && !isFurther(fresh.state, same.state)) return [...seen];
  return [...seen.filter((one) => one !== same), fresh].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** Drops the oldest report that tells nothing beside its neighbours. */
function shorten(seen: Seen[]): Seen[] {
  if (seen.length <= MOST_SEEN) return seen;
  const isAlike = (a: Seen, b: Seen | undefined) =>
    (a.state === 'open') === (b?.state === 'open') &&
    a.branch.hash === b?.branch.hash &&
    a.head_repository === b.head_repository;
  const between = seen.findIndex(
    (one, index) => index > 0 && isAlike(one, seen[index - 1]) && isAlike(one, seen[index + 1]),
  );
  return seen.toSpliced(Math.max(between, 0), 1);
}

/** When it ended: at the first report since it was last open. */
function endOf(seen: readonly Seen[]): Pick<PullRequest, 'closed_at' | 'merged_at'> {
  const run = seen.slice(seen.findLastIndex(({ state }) => state === 'open') + 1);
  const merged = run.at(-1)?.state === 'merged' ? run.find(({ state }) => state === 'merged') : undefined;
  return { closed_at: closedAt(run[0]), merged_at: closedAt(merged) };
}

function closedAt(seen: Seen | undefined): Date | null {
  return seen?.closed_at ?? seen?.at ?? null;
}

/** The head as last reported; a repository that is gone keeps the address that was known. */
function headOf(seen: readonly Seen[]): { repository: string | null; branch: Name } {
  const last = seen.at(-1);
  if (!last) throw new Error('A pull request of which nothing was reported');
  const repository = seen.findLast((one) => one.head_repository !== undefined)?.head_repository ?? null;
  return { repository, branch: last.branch };
}

/** Each report that names another branch of the same repository than the one before. */
function renamesOf(seen: readonly Seen[]): HeadRename[] {
  const renames: HeadRename[] = [];
  // A repository of which nothing is known yet is the one that a later report names.
  let repository = seen.find((one) => one.head_repository !== undefined)?.head_repository;
  for (const [index, { at, branch: to, head_repository = repository }] of seen.entries()) {
    const from = seen[index - 1]?.branch ?? to;
    if (from.hash !== to.hash && repository !== undefined && repository === head_repository)
      renames.push({ at, repository, from, to });
    repository = head_repository;
  }
  return renames;
}

/** Each end and each rename, also an end that it was reopened from. */
function boundariesOf({ seen, renames, head_repository: repository, branch }: PullRequest): BranchBoundary[] {
  const renamed = renames.map(({ at, repository, from, to }) => ({ at, repository, branch: from, to }));
  if (repository === null) return renamed;
  const first = seen.filter(
    ({ state }, index) => state !== 'open' && (seen[index - 1]?.state ?? 'open') === 'open',
  );
  return [...renamed, ...first.map((one) => ({ at: one.closed_at ?? one.at, repository, branch }))];
}

/** The boundaries that are not among others, each once. */
function without(boundaries: readonly BranchBoundary[], others: readonly BranchBoundary[]): BranchBoundary[] {
  const keyOf = ({ at, repository, branch, to }: BranchBoundary) =>
    JSON.stringify([at.getTime(), repository, branch.hash, to?.hash]);
  const known = new Set(others.map(keyOf));
  const named = boundaries.map((boundary) => [keyOf(boundary), boundary] as const);
  return [...new Map(named.filter(([key]) => !known.has(key))).values()];
}
