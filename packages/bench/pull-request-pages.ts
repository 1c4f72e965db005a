import { systemClock } from '../../shared/platform/basics/clock.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { branchKey, plainName } from '../../shared/wings/work/attribution/names.ts';
import {
  type PullRequest,
  pullRequestId,
  pullRequestRows,
} from '../../shared/wings/work/pull-requests/model.ts';
import { get, post, type Service, signalAt } from './attribution-client.ts';
import { quantile, type Row, round, runClients } from './bench.ts';
import { makeKey, type Stage } from './stage.ts';

const PULL_REQUESTS = 10_000;
const DAY_MS = 86_400_000;

/** The newest 20 of 10,000 pull requests with their costs: each has a branch of its own with calls of three days. */
export async function measurePullRequests(stage: Stage, service: Service, seconds: number): Promise<Row> {
  const { orgId, key } = await makeKey(stage);
  const now = systemClock.now();
  await seedPullRequests(stage.ctx, orgId, { count: PULL_REQUESTS, nowMs: now });
  // The newest have calls; the works of the others are not read for the page.
  for (let day = 1; day <= 3; day += 1) {
    const signals = Array.from({ length: 1_000 }, (_, number) =>
      signalAt(now - day * DAY_MS, null, {
        user_id: `user-${number % 50}`,
        repository: 'github.com/acme/shop',
        branch: `branch-${PULL_REQUESTS - number}`,
      }),
    );
    await post(service, key, 'signals', { signals });
  }
  const timed = async (path: string) => {
    await get(service, key, path);
    const ran = await runClients(1, seconds, () => get(service, key, path));
    return quantile(ran.times, 0.99);
  };
  return {
    what: `20 of ${PULL_REQUESTS} pull requests`,
    'newest p99 ms': round(await timed('pull-requests?limit=20')),
    'merged, of one repository p99 ms': round(
      await timed('pull-requests?limit=20&state=merged&repository=github.com/acme/shop'),
    ),
  };
}

export async function seedPullRequests(
  ctx: Context,
  orgId: string,
  { count, nowMs }: { count: number; nowMs: number },
): Promise<void> {
  const repository = 'github.com/acme/shop';
  const rows = Array.from({ length: count }, (_, index): PullRequest => {
    const number = index + 1;
    const branch = plainName(ctx, orgId, `branch-${number}`);
    // A year of them.
    const opened_at = new Date(nowMs - (count - number) * 50 * 60_000);
    const isMerged = number % 2 === 0;
    const at = isMerged ? new Date(nowMs) : opened_at;
    return {
      _id: pullRequestId(orgId, repository, number),
      org_id: orgId,
      repository,
      number,
      title: `Change ${number}`,
      url: null,
      head_repository: repository,
      branch,
      base_branch: null,
      state: isMerged ? 'merged' : 'open',
      signed: true,
      said: {},
      opened_at,
      closed_at: isMerged ? at : null,
      merged_at: isMerged ? at : null,
      updated_at: at,
      seen: [],
      renames: [],
      head: branchKey(ctx, orgId, repository, branch.hash),
    };
  });
  for (let from = 0; from < rows.length; from += 1_000)
    await pullRequestRows(ctx).insertMany(rows.slice(from, from + 1_000));
}
