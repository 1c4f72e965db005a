import type { ClientSession } from 'mongoose';
import { readOrganization } from '../../../core/accounts/organizations/read-organization.ts';
import type { Reader } from '../../../core/accounts/organizations/reader.ts';
import { labelOf } from '../../../core/calls/signals/pull-request-label.ts';
import { boundsOf, exactParts } from '../../../core/calls/usage/range.ts';
import { sumRollups } from '../../../core/calls/usage/sum-rollups.ts';
import { best, type Found, rankOf } from '../../../core/hooks/found.ts';
import type { Context } from '../../../platform/context/context.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { listRows } from '../../../platform/mongo/list-rows.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import { type WorkRow, workRows } from '../attribution/model.ts';
import { type PullRequest, pullRequestRows } from '../pull-requests/model.ts';
import { findWorks } from '../pull-requests/read-works.ts';
import { readCostsOfUser } from './read-costs.ts';
import { sumWorksOfUser } from './sum-works.ts';

/** Pull requests and works that are looked at: the newest. */
const MOST_LOOKED_AT = 2_000;

/**
 * Finds pull requests by a part of their title or of `github.com/acme/shop#12`, by their number or their address, and branches by a
 * part of their name. It looks at the newest 2,000 pull requests, and at 2,000 branches with calls in the last 30 days; a branch of
 * exactly that name is found however old it is. One user finds those with own calls.
 */
export async function searchWork(ctx: Context, reader: Reader, text: string): Promise<Found[]> {
  const [pulls, works] = await Promise.all([readPulls(ctx, reader), readWorks(ctx, reader, text)]);
  return [...pullsNamed(text, pulls), ...branchesNamed(text, works)];
}

type NamedPull = Pick<PullRequest, '_id' | 'repository' | 'number' | 'title' | 'url' | 'opened_at'>;

async function readPulls(ctx: Context, { orgId, userId }: Reader): Promise<NamedPull[]> {
  if (userId !== null) {
    const { rows } = await inTransaction(ctx.db, (transaction) =>
      readCostsOfUser(ctx, { orgId, userId }, transaction),
    );
    return rows.toSorted((a, b) => b.opened_at.getTime() - a.opened_at.getTime()).slice(0, MOST_LOOKED_AT);
  }
  const page = { order: 'desc', limit: MOST_LOOKED_AT, after: null, total: 0 } as const;
  const range = { fromMs: 0, toMs: ctx.clock.now() + AHEAD_MS };
  return (await listRows(ctx, pullRequestRows, { org_id: orgId }, 'opened_at', { ...page, ...range })).rows;
}

/** Times of reports are at most 5 minutes ahead. */
const AHEAD_MS = 10 * 60_000;

function pullsNamed(text: string, pulls: readonly NamedPull[]): Found[] {
  const number = /^#?([1-9]\d{0,14})$/.exec(text)?.[1];
  const ranked = pulls.map((item) => {
    const label = labelOf(item);
    const ranks = [
      number === undefined ? Number.POSITIVE_INFINITY : rankOf(number, String(item.number), 'beginning'),
      rankOf(text, item.title, 'part'),
      rankOf(text, label, 'part'),
      // The address of one of its pages, such as its files, leads to it too.
      item.url !== null && isUnder(text, item.url) ? 0 : Number.POSITIVE_INFINITY,
    ];
    return { rank: Math.min(...ranks), item: { ...item, label }, name: item.title ?? label };
  });
  return best(ranked).map(({ item: { _id: id, label }, name }) => ({
    kind: 'pull_request',
    id,
    name,
    about: label,
    path: `/dashboard/pull-requests/${encodeURIComponent(id)}`,
  }));
}

function isUnder(text: string, url: string): boolean {
  return text === url || ['/', '?', '#'].some((next) => text.startsWith(url + next));
}

async function readWorks(ctx: Context, { orgId, userId }: Reader, text: string): Promise<WorkRow[]> {
  const named = (await findWorks(ctx, orgId, { branch: text })) ?? [];
  return inTransaction(ctx.db, async (transaction) => {
    const used =
      userId === null
        ? [...named, ...(await worksOfLate(ctx, orgId, transaction))]
        : (await sumWorksOfUser(ctx, { orgId, userId }, transaction)).map(({ work }) => work);
    const ids = [...new Set(used)].slice(0, MOST_LOOKED_AT);
    return findByIds(workRows(ctx), ids, transaction);
  });
}

async function worksOfLate(ctx: Context, orgId: string, transaction: ClientSession): Promise<string[]> {
  const organization = await readOrganization(ctx, orgId, transaction);
  const { fromMs, toMs } = boundsOf(ctx, {});
  const parts = exactParts(organization, [fromMs, toMs], ctx.clock.now());
  const rows = await sumRollups(ctx, organization, { parts, match: {}, columns: ['work'] }, transaction);
  return rows.flatMap(({ key: { work } }) => (typeof work === 'string' && work !== '' ? [work] : []));
}

function branchesNamed(text: string, works: readonly WorkRow[]): Found[] {
  const heads = new Map(
    works.flatMap((work) => (work.head === undefined ? [] : [[work.head, work] as const])),
  );
  const ranked = [...heads.values()].flatMap(({ repository = '', branch }) => {
    if (!branch) return [];
    const name = branch.text;
    return [{ rank: rankOf(text, name, 'part'), item: { repository, name }, name: `${name} ${repository}` }];
  });
  return best(ranked).map(({ item: { repository, name } }) => ({
    kind: 'branch',
    id: `${repository} ${name}`,
    name,
    about: repository,
    path: `/dashboard/?${new URLSearchParams({ repository, branch: name }).toString()}`,
  }));
}
