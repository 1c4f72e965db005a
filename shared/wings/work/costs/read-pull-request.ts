import type { ClientSession } from 'mongoose';
import type { z } from 'zod';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import type { Reader } from '../../../core/accounts/organizations/reader.ts';
import { sessionRows } from '../../../core/calls/sessions/model.ts';
import { signalRows } from '../../../core/calls/signals/model.ts';
import { addSums, noSums, type Sums } from '../../../core/calls/usage/measures.ts';
import { isoTime } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import type { WorkRow } from '../attribution/model.ts';
import { noSuchPullRequest } from '../pull-requests/model.ts';
import { worksOfPullRequests } from '../pull-requests/resolve-works.ts';
import { getPullRequest } from './list-pull-requests.ts';
import { dateOf } from './read-costs.ts';
import { type SessionSums, sumSessions } from './sum-sessions.ts';
import { sumWorks, type WorkSums } from './sum-works.ts';
import { type pullRequestDetailView, viewCosted, viewSumsOf } from './view.ts';

/** Rows of each table. */
const MOST_ROWS = 100;

/**
 * One pull request with its costs by user, model, branch and day: one read of sums, so that each table sums to the whole. Throws
 * `not_found`, also for a reader of one user who has no calls on it.
 */
export async function readPullRequest(
  ctx: Context,
  organization: Organization,
  { userId, id }: { userId: string | null; id: string },
): Promise<z.output<typeof pullRequestDetailView>> {
  const reader: Reader = { orgId: organization._id, userId };
  const row = await getPullRequest(ctx, reader, id);
  const { works, sums, calls, sessions, starts } = await inTransaction(ctx.db, async (transaction) => {
    const owned = await worksOfPullRequests(ctx, reader.orgId, [row], transaction);
    const own = owned.get(id) ?? [];
    const ids = own.map(({ _id }) => _id);
    const columns = ['user_id', 'model', 'start'] as const;
    const found = await sumWorks(ctx, reader, { works: ids, columns }, transaction);
    const span = await spanOfCalls(ctx, reader, ids, transaction);
    const bySession = await readSessions(ctx, reader, found, transaction);
    return { works: own, sums: found, calls: span, ...bySession };
  });
  if (userId !== null && sums.length === 0) throw noSuchPullRequest();
  return {
    ...viewCosted(organization, userId, row, { rows: sums, sessions }),
    ...calls,
    by_session: sessions ? sessionsTable(sessions, starts) : null,
    by_user: mostExpensive(sums, 'user_id', ({ user_id = '' }) => user_id),
    by_model: mostExpensive(sums, 'model', ({ model = '' }) => model),
    by_branch: mostExpensive(sums, 'branch', branchIn(works)),
    by_day: newest(sums, ({ start }) => dateOf(organization, start?.getTime() ?? 0)),
  };
}

/** The sessions of a pull request, and the starts of those that its table shows. */
async function readSessions(
  ctx: Context,
  reader: Reader,
  sums: readonly WorkSums[],
  transaction: ClientSession,
): Promise<{ sessions: readonly SessionSums[] | undefined; starts: ReadonlyMap<string, string> }> {
  const costs = new Map([['', sums]]);
  const sessions = (await sumSessions(ctx, reader, { costs, calls: null }, transaction)).get('');
  const ids = sessions?.slice(0, MOST_ROWS).map(({ session_id }) => session_id) ?? [];
  const rows = await findByIds(sessionRows(ctx), ids, transaction);
  return { sessions, starts: new Map(rows.map((row) => [row._id, isoTime(row.started_at.getTime())])) };
}

function branchIn(works: readonly WorkRow[]): (row: WorkSums) => string | null {
  const names = new Map(works.map(({ _id, branch }) => [_id, branch?.text ?? null]));
  return ({ work }) => names.get(work) ?? null;
}

async function spanOfCalls(
  ctx: Context,
  { orgId, userId }: Reader,
  works: readonly string[],
  transaction: ClientSession,
): Promise<{ first_call_at: string | null; last_call_at: string | null }> {
  const own = userId === null ? {} : { user_id: userId };
  const times: number[] = [];
  for (const work of works)
    for (const order of [1, -1] as const) {
      const stages = [
        { $match: { work } },
        { $match: { org_id: orgId, voided: { $exists: false }, ...own } },
        { $sort: { ts: order } },
        { $limit: 1 },
        { $project: { ts: 1 } },
      ];
      const [call] = await signalRows(ctx)
        .aggregate<{ ts: Date }>(stages, { session: transaction })
        .toArray();
      if (call) times.push(call.ts.getTime());
    }
  if (times.length === 0) return { first_call_at: null, last_call_at: null };
  return { first_call_at: isoTime(Math.min(...times)), last_call_at: isoTime(Math.max(...times)) };
}

type Key = string | null;

function summedBy(rows: readonly WorkSums[], keyOf: (row: WorkSums) => Key): { key: Key; sums: Sums }[] {
  const groups = new Map<Key, Sums>();
  for (const row of rows) {
    const key = keyOf(row);
    const sums = groups.get(key) ?? noSums();
    groups.set(key, sums);
    addSums(sums, row.sums);
  }
  return [...groups].map(([key, sums]) => ({ key, sums }));
}

function mostExpensive<Name extends string>(
  rows: readonly WorkSums[],
  name: Name,
  keyOf: (row: WorkSums) => Key,
) {
  const groups = summedBy(rows, keyOf).toSorted(
    (a, b) => Number(b.sums.cost_nusd - a.sums.cost_nusd) || (String(a.key) < String(b.key) ? -1 : 1),
  );
  return tableOf(name, groups);
}

function newest(rows: readonly WorkSums[], keyOf: (row: WorkSums) => string) {
  return tableOf(
    'day',
    summedBy(rows, keyOf).toSorted((a, b) => (String(a.key) < String(b.key) ? 1 : -1)),
  );
}

function tableOf<Name extends string>(name: Name, groups: readonly { key: Key; sums: Sums }[]) {
  const data = groups
    .slice(0, MOST_ROWS)
    .map(({ key, sums }) => ({ [name]: key, ...viewSumsOf(sums) })) as never[];
  return { data, others: othersOf(groups) };
}

function sessionsTable(sessions: readonly SessionSums[], starts: ReadonlyMap<string, string>) {
  const data = sessions.slice(0, MOST_ROWS).map(({ session_id, user_id, sums }) => ({
    session_id,
    user_id,
    started_at: starts.get(session_id) ?? null,
    ...viewSumsOf(sums),
  }));
  return { data, others: othersOf(sessions) };
}

/** The sum of the rows beyond those of a table. */
function othersOf(rows: readonly { sums: Sums }[]) {
  const rest = rows.slice(MOST_ROWS);
  const others = noSums();
  for (const { sums } of rest) addSums(others, sums);
  return rest.length === 0 ? null : viewSumsOf(others);
}
