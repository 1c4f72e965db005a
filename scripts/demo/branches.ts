import { isoTime } from '../../shared/platform/basics/clock.ts';
import { DAY_MS } from '../../shared/platform/basics/interval.ts';
import { TOOLS } from './habits.ts';
import { send, type Target } from './send.ts';
import type { DemoSignal } from './traffic.ts';

/** A project works on one branch for so long, which then is merged. */
const BRANCH_MS = 5 * DAY_MS;
/** More than a project has branches within the days of the demo. */
const TITLES = [
  'Retry payments that time out',
  'Cache the price list',
  'Start in half the time',
  'Limit requests per key',
  'Export the audit log',
  'Mend the flaky tests',
  'Search by name',
  'Upgrade to Node 26',
];
/** One of so many pull requests is closed without a merge. */
const CLOSED = 7;

/** The pull request of a project at a time. */
function pullRequestAt(owner: string, project: string, atMs: number) {
  const number = Math.floor(atMs / BRANCH_MS);
  const title = TITLES[(number + project.length) % TITLES.length] ?? project;
  const branch = title.toLowerCase().replaceAll(' ', '-');
  return { repository: `github.com/${owner}/${project}`, number, title, branch };
}

/** The same signals, with the repository and branch of calls by coding agents. */
export function placeCalls(owner: string, signals: readonly DemoSignal[]): DemoSignal[] {
  return signals.map((signal) => {
    if (signal.type !== 'call' || signal.adapter === TOOLS.app.adapter) return signal;
    const { repository, branch } = pullRequestAt(owner, signal.project_id, Date.parse(signal.ts));
    return { ...signal, repository, branch };
  });
}

/** Reports the pull request of each branch that calls were placed on, as it is at `untilMs`. Repeats change nothing. */
export async function reportPullRequests(
  target: Target,
  owner: string,
  placed: readonly DemoSignal[],
  untilMs: number,
): Promise<void> {
  for (const report of pullRequestsOf(owner, placed, untilMs))
    await send(target, 'POST', 'pull-requests', report);
}

/** A report per branch, in the order of their first calls. Pure. */
export function pullRequestsOf(owner: string, placed: readonly DemoSignal[], untilMs: number) {
  const firstOf = Map.groupBy(
    placed.filter(({ branch }) => branch !== undefined),
    ({ repository, branch }) => `${repository} ${branch}`,
  );
  return [...firstOf.values()].flatMap(([first]) => {
    if (first === undefined) return [];
    const pullRequest = pullRequestAt(owner, first.project_id, Date.parse(first.ts));
    const { number } = pullRequest;
    const endMs = (number + 1) * BRANCH_MS;
    const isClosed = (number + first.project_id.length) % CLOSED === 0;
    const ended = { state: isClosed ? 'closed' : 'merged', closed_at: isoTime(endMs) };
    const state =
      endMs <= untilMs ? { ...ended, updated_at: ended.closed_at } : { state: 'open', updated_at: first.ts };
    return [{ ...pullRequest, base_branch: 'main', opened_at: first.ts, ...state }];
  });
}
