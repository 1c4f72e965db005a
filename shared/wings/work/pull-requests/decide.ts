import { isDeepStrictEqual } from 'node:util';
import type { Name } from '../../../core/calls/signals/place.ts';
import { type HeadRename, type PullRequest, pullRequestId, type SaidField, type Seen } from './model.ts';
import { PULL_REQUEST_STATES, type PullRequestReport } from './report.ts';

/** A report with its names as they are kept. */
export interface Reported extends Omit<PullRequestReport, 'branch' | 'base_branch'> {
  branch: Name;
  base_branch: Name | null;
  /** True where a code host has signed it. */
  signed: boolean;
}

export const REPORT_OUTCOMES = ['applied', 'repeated', 'stale'] as const;
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number];

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

/** Reports that a pull request remembers. Beyond these, those go that say nothing beside their neighbours. */
const MOST_SEEN = 50;

/**
 * Decides what a report changes. All that is known of a pull request follows from the set of its reports, so their order of arrival
 * does not matter: the newest report counts, of two of the same moment the one that is further, and of two such that differ all else
 * the one that is last in a fixed order. Pure.
 */
export function decideReport(
  { orgId, keyOf }: { orgId: string; keyOf: KeyOf },
  known: PullRequest | null,
  reported: Reported,
): Decided {
  const seen = shorten(insert(known?.seen ?? [], seenOf(reported)));
  const head = headOf(seen);
  const row: PullRequest = {
    _id: pullRequestId(orgId, reported.repository, reported.number),
    org_id: orgId,
    repository: reported.repository,
    number: reported.number,
    ...saidOf(known, reported),
    ...openingOf(known, reported),
    ...endOf(seen),
    state: head.state,
    updated_at: head.at,
    head_repository: head.repository,
    branch: head.branch,
    seen,
    renames: renamesOf(seen),
    head: head.repository === null ? null : keyOf(head.repository, head.branch),
  };
  const outcome = outcomeOf(known, row, reported);
  const [before, after] = [known ? boundariesOf(known) : [], boundariesOf(row)];
  const undone = without(before, after).filter(({ to }) => to !== undefined);
  return { outcome, row, boundaries: without(after, before), undone };
}

function outcomeOf(known: PullRequest | null, row: PullRequest, { updated_at }: Reported): ReportOutcome {
  if (!known) return 'applied';
  if (updated_at < known.updated_at) return 'stale';
  return isDeepStrictEqual(row, known) ? 'repeated' : 'applied';
}

/** Each text that a report may leave out, as the newest report that has it says, and when that was. */
function saidOf(known: PullRequest | null, reported: Reported) {
  const said = { ...known?.said };
  const newest = <Text>(field: SaidField, before: Text | null, now: Text | null): Text | null => {
    if (now === null) return before;
    const { updated_at: at, state } = reported;
    const last = before === null ? undefined : said[field];
    if (last && (compareMoments({ at, state }, last) || compareContent(now, before)) <= 0) return before;
    said[field] = { at, state };
    return now;
  };
  return {
    title: newest('title', known?.title ?? null, reported.title),
    url: newest('url', known?.url ?? null, reported.url),
    base_branch: newest('base_branch', known?.base_branch ?? null, reported.base_branch),
    said,
  };
}

/**
 * When it was opened: as a code host has signed it, else as the earliest of all reports says, since a CI job may not know it and
 * says a later time.
 */
function openingOf(
  known: PullRequest | null,
  { opened_at, signed }: Reported,
): Pick<PullRequest, 'opened_at' | 'signed'> {
  if (!known || (signed && !known.signed)) return { opened_at, signed };
  const isKept = (known.signed && !signed) || known.opened_at < opened_at;
  return { opened_at: isKept ? known.opened_at : opened_at, signed: known.signed };
}

function compareMoments(a: Pick<Seen, 'at' | 'state'>, b: Pick<Seen, 'at' | 'state'>): number {
  return a.at.getTime() - b.at.getTime() || rankOf(a.state) - rankOf(b.state);
}

/** An order of texts and reports by what they say: any will do, where it is always the same. */
function compareContent(a: unknown, b: unknown): number {
  const [left, right] = [contentOf(a), contentOf(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}

function contentOf(said: unknown): string {
  if (said === null || typeof said !== 'object') return JSON.stringify(said);
  return JSON.stringify(Object.entries(said).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function rankOf(state: Seen['state']): number {
  return PULL_REQUEST_STATES.indexOf(state);
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

/** Adds a report. Several of one moment stay where they are equally far and differ. */
function insert(seen: readonly Seen[], fresh: Seen): Seen[] {
  const rest = seen.filter((one) => !isMoment(one, fresh) || rankOf(one.state) >= rankOf(fresh.state));
  const isNew = !rest.some(
    (one) => isMoment(one, fresh) && (one.state !== fresh.state || isDeepStrictEqual(one, fresh)),
  );
  return inOrder(isNew ? [...rest, fresh] : rest);
}

function isMoment(a: Seen, b: Seen): boolean {
  return a.at.getTime() === b.at.getTime();
}

/** Puts reports in order. A report with the branch that was known before comes first in its moment: another one is its rename. */
function inOrder(seen: readonly Seen[]): Seen[] {
  const sorted = seen.toSorted((a, b) => compareMoments(a, b) || compareContent(a, b));
  const ordered: Seen[] = [];
  for (const group of Map.groupBy(sorted, ({ at }) => at.getTime()).values()) {
    const before = ordered.at(-1)?.branch.hash;
    const isKnown = ({ branch }: Seen) => branch.hash === before;
    ordered.push(...group.filter(isKnown), ...group.filter((one) => !isKnown(one)));
  }
  return ordered;
}

/** Drops the oldest report that says nothing beside its neighbours; where there is none, the oldest end that was taken back. */
function shorten(seen: Seen[]): Seen[] {
  if (seen.length <= MOST_SEEN) return seen;
  const isSameHead = (a: Seen, b: Seen | undefined) =>
    a.branch.hash === b?.branch.hash && a.head_repository === b.head_repository;
  const isBetween = (one: Seen, index: number) =>
    index > 0 && isSameHead(one, seen[index - 1]) && isSameHead(one, seen[index + 1]);
  const isOpen = (index: number) => seen[index]?.state === 'open';
  const idle = seen.findIndex(
    (one, index) =>
      isBetween(one, index) && isOpen(index) === isOpen(index - 1) && isOpen(index) === isOpen(index + 1),
  );
  if (idle !== -1) return seen.toSpliced(idle, 1);
  const reopened = seen.findIndex(
    (one, index) => isBetween(one, index) && !isOpen(index) && isOpen(index + 1),
  );
  return seen.toSpliced(Math.max(reopened, 0), reopened === -1 ? 1 : 2);
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

/** The last report; a repository that is gone keeps the address that was known. */
function headOf(
  seen: readonly Seen[],
): Pick<Seen, 'at' | 'state' | 'branch'> & { repository: string | null } {
  const last = seen.at(-1);
  if (!last) throw new Error('A pull request without a report');
  const repository = seen.findLast((one) => one.head_repository !== undefined)?.head_repository ?? null;
  return { ...last, repository };
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

export function renamesIn({ renames }: PullRequest): BranchBoundary[] {
  return renames.map(({ at, repository, from, to }) => ({ at, repository, branch: from, to }));
}

/** Each end and each rename, also an end that it was reopened from. */
function boundariesOf(row: PullRequest): BranchBoundary[] {
  const { seen, head_repository: repository, branch } = row;
  const renamed = renamesIn(row);
  if (repository === null) return renamed;
  const first = seen.filter(
    ({ state }, index) => state !== 'open' && (seen[index - 1]?.state ?? 'open') === 'open',
  );
  return [...renamed, ...first.map((one) => ({ at: one.closed_at ?? one.at, repository, branch }))];
}

function without(boundaries: readonly BranchBoundary[], others: readonly BranchBoundary[]): BranchBoundary[] {
  const keyOf = ({ at, repository, branch, to }: BranchBoundary) =>
    JSON.stringify([at.getTime(), repository, branch.hash, to?.hash]);
  const known = new Set(others.map(keyOf));
  const named = boundaries.map((boundary) => [keyOf(boundary), boundary] as const);
  return [...new Map(named.filter(([key]) => !known.has(key))).values()];
}
